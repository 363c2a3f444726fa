import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import type { SelectorNews } from "@/api/homeTypes";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { Selector } from "./Selector";

afterEach(closeTestPage);

const NEWS: SelectorNews = {
  why: "first",
  selector: { id: 2, name: "Plain" } as SelectorNews["selector"],
  since: "2026-11-28T12:00:00Z",
  before: null,
  baseline_not_beaten: [],
  left: null,
  right: null,
  differences: [],
};

async function told(about: Partial<SelectorNews>) {
  openTestPage({
    page: <Selector slug="demo" />,
    answers: { "/api/projects/demo/selector": { ...NEWS, ...about } },
  });
  return (await screen.findByRole("region", { name: "The selector" })).textContent;
}

test("Home says of a selector where it does not beat its baseline", async () => {
  expect(await told({ baseline_not_beaten: ["Bench"] })).toContain("baseline not beaten on Bench");
});

test("Home says nothing of the baseline of one that beats it", async () => {
  expect(await told({})).not.toContain("baseline");
});
