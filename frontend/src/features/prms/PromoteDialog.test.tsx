import { screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { closeTestPage, openTestPage } from "@/api/testPage";
import type { PromotionNews } from "@/api/trainingTypes";
import { PromoteDialog } from "./PromoteDialog";

afterEach(closeTestPage);

const NEWS: PromotionNews = {
  kind: "never_wrong",
  evaluation: 7,
  other: null,
  evaluation_set: "ProcessBench",
  threshold: 0.5,
  advised_threshold: 0.8,
  worse: [],
  better: [],
};

/** Return what the dialog says, notice by notice, after the server has answered with these. */
async function told(news: Partial<PromotionNews>[], learnedNothing = false) {
  const results = news.map((one) => ({ ...NEWS, ...one }));
  openTestPage({
    page: (
      <PromoteDialog
        slug="demo"
        prm={{ id: 3, name: "New" }}
        opened
        learnedNothing={learnedNothing}
        onClose={() => undefined}
      />
    ),
    answers: { "/api/projects/demo/promotions/news": { results } },
  });
  const dialog = await screen.findByRole("dialog", { hidden: true });
  if (news.length > 0) await screen.findAllByText(/ProcessBench|unknown|evaluated|compared/);
  return dialog.textContent ?? "";
}

test("who is about to promote a PRM that never says wrong is told so, and which threshold would serve", async () => {
  const words = await told([{}]);
  expect(words).toContain("It never says “wrong” on ProcessBench");
  expect(words).toContain("At the threshold 0.50, it finds no errors");
  expect(words).toContain("the threshold 0.80 was best");
});

test("the figures in which the selector is ahead are named, with the way to both side by side", async () => {
  const words = await told([{ kind: "worse", other: 9, worse: ["auc"], better: ["processbench_f1"] }]);
  expect(words).toContain("The selector is ahead of it on ProcessBench");
  expect(words).toContain("Worse: Step AUC. Better: ProcessBench F1.");
  const link = screen.getByRole("link", { name: "See them side by side", hidden: true });
  expect(link.getAttribute("href")).toBe("/projects/demo/evaluations/compare?left=7&right=9");
});

test.each([
  ["baseline_not_beaten", "It does not beat the baseline on ProcessBench"],
  ["origin_unknown", "It is unknown which traces it learned from"],
  ["not_evaluated", "It has never been evaluated"],
  ["not_compared", "It has never been compared with the selector"],
] as const)("before a promotion it is said: %s", async (kind, words) => {
  expect(await told([{ kind }])).toContain(words);
});

test("all that speaks against it is said in the order of the server, the worst first", async () => {
  const words = await told([{}, { kind: "worse", other: 9, worse: ["auc"] }, { kind: "origin_unknown" }], true);
  const places = ["never says", "is ahead of it", "unknown which traces", "position and length alone"];
  const found = places.map((part) => words.indexOf(part));
  expect(Math.min(...found)).toBeGreaterThan(-1);
  expect(found).toEqual(found.toSorted((one, other) => one - other));
});
