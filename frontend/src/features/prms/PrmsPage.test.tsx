import { fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { PrmsPage } from "./PrmsPage";

afterEach(closeTestPage);

const promotion = (id: number, prm: string, before: string) => ({
  id,
  prm: { id: 1, name: prm },
  before: { id: 2, name: before },
  by: { id: 1, username: "olga", display_name: "Olga" },
  at: "2026-11-01T10:00:00Z",
  note: "",
});

test("a roll back says which promotion it undoes, and who came later is told what happened", async () => {
  const sent: unknown[] = [];
  let promotions = [promotion(7, "New", "Old")];
  const refusal = { code: "promotion_changed", detail: "Olga has changed the selector to Old in the meantime." };
  openTestPage({
    page: <PrmsPage />,
    at: "/projects/demo/prms",
    path: "/projects/:slug/prms",
    answers: {
      "/api/projects/demo/prms": { results: [], next: null },
      "/api/projects/demo/promotions": () => Response.json({ results: promotions, next: null, total: 1 }),
      "/api/projects/demo/promotions/roll_back": (body: string) => {
        sent.push(JSON.parse(body));
        promotions = [promotion(8, "Old", "New"), promotion(7, "New", "Old")];
        return Response.json({ ...refusal, promotion: 8 }, { status: 409 });
      },
    },
  });
  fireEvent.click(await screen.findByRole("button", { name: "Roll back" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("Old selects again, starting with the next round.");
  fireEvent.submit(dialog.querySelector("form") as HTMLFormElement);
  await screen.findByText(/Olga has changed the selector/);
  expect(sent).toEqual([{ undoes: 7 }]);
  await screen.findByText(/instead of New/); // the page shows the selector in force now
  expect(dialog.textContent).toContain("Old selects again");
});
