import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { Role } from "@/api/types";
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
