import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import * as limits from "@/api/limits";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { Role } from "@/api/types";
import { GoldForm } from "@/ui/trace/GoldForm";
import { GoldPage } from "./GoldPage";

afterEach(closeTestPage);

async function open(role: Role) {
  const counts = { active: 1, retired: 0, fresh: 1, least_left: 1, labelers: 2, short: 2, a_round: 5, a_screening: 10 };
  openTestPage({
    page: <GoldPage />,
    at: "/projects/demo/gold",
    path: "/projects/:slug/gold",
    role,
    answers: {
      "/api/projects/demo/gold/counts": counts,
      "/api/projects/demo/gold": { results: [], next: null },
    },
  });
  await screen.findByText("There is too little gold");
}

test("too little gold leads an admin to the settings", async () => {
  await open("admin");
  const link = screen.getByRole("link", { name: "Settings" });
  expect(link.getAttribute("href")).toBe("/projects/demo/settings");
});

test("a researcher is told of too little gold and is not led to settings that are not theirs", async () => {
  await open("researcher");
  expect(screen.queryByRole("link", { name: "Settings" })).toBeNull();
});

test("an explanation of gold may be as long as the server takes", () => {
  const said = { acceptable: [0], acceptable_decisive: [], explanation: "", paragraph: "" };
  const form = { steps: ["One."], run: false, said, save: "Make it gold", error: null, busy: false };
  openTestPage({ page: <GoldForm {...form} onSave={() => undefined} onCancel={() => undefined} /> });
  const most = (name: string) => screen.getByLabelText<HTMLTextAreaElement>(name).maxLength;
  expect(most("Explanation")).toBe(limits.MakeGoldIn.explanation.maxLength);
  expect(most("Paragraph of the guidelines that it teaches")).toBe(limits.MakeGoldIn.paragraph.maxLength);
  expect(limits.ChangeGoldIn).toEqual(limits.MakeGoldIn);
});
