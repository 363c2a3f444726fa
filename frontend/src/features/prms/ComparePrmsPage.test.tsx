import { screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import { ComparePrmsPage } from "./ComparePrmsPage";

afterEach(closeTestPage);

function evaluation(id: number, name: string, auc: number, f1: number, beats_baseline = true) {
  const figures = [
    { name: "auc", value: auc },
    { name: "processbench_f1", value: f1 },
  ];
  const report = { figures, best_of_n: null, said_wrong: 12, beats_baseline };
  const set = { id: 1, name: "ProcessBench" };
  return { id, prm: { id, name }, evaluation_set: set, report, origin_known: true, threshold: 0.5 };
}

test("two PRMs are held side by side in one row a figure, with both values, the difference and what it says", async () => {
  const rest = { n: 90, clusters: 90, no_interval: null };
  openTestPage({
    page: <ComparePrmsPage />,
    at: "/projects/demo/evaluations/compare?left=7&right=9",
    path: "/projects/:slug/evaluations/compare",
    answers: {
      "/api/projects/demo/evaluations/compare": {
        left: evaluation(7, "New", 0.9, 0.2),
        right: evaluation(9, "Old", 0.91, 0.5, false),
        differences: [
          { name: "processbench_f1", value: -0.3, low: -0.4, high: -0.2, ahead: "right", ...rest },
          { name: "auc", value: -0.01, low: -0.05, high: 0.03, ahead: "undecided", ...rest },
        ],
        disagreements: [],
      },
    },
  });
  const table = await screen.findByRole("table", { name: /how far apart they are/ });
  const rows = within(table)
    .getAllByRole("row")
    .map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent ?? ""));
  expect(rows).toHaveLength(3);
  expect(rows[0]?.slice(0, 4)).toEqual(["Figure", "New", "Old", "Difference"]);
  expect(rows[1]?.[0]).toContain("Step AUC");
  expect(rows[1]?.slice(1, 4)).toEqual(["0.900", "0.910", "−0.010, 95 %: −0.050 to +0.030"]);
  expect(rows[1]?.[4]).toContain("undecided");
  expect(rows[2]?.[0]).toContain("ProcessBench F1");
  expect(rows[2]?.slice(1, 4)).toEqual(["0.200", "0.500", "−0.300, 95 %: −0.400 to −0.200"]);
  expect(rows[2]?.[4]).toContain("worse");
  expect(screen.getByText("Baseline not beaten: Old")).toBeTruthy();
  expect(screen.getAllByText("Step AUC")).toHaveLength(1); // nor is it drawn anywhere else
});
