import { expect, test } from "vitest";
import type { Home } from "@/api/homeTypes";
import type { TrainingAtClose } from "@/api/trainingTypes";
import { closeNews, isUnderWay } from "./closeNews";

const run = (about: object) => ({
  id: 9,
  status: "running",
  stage: "training",
  cancel_requested: false,
  error: "",
  said: "",
  ...about,
});
const closed = (about: object) =>
  ({
    round: { id: 3, number: 3, name: "" },
    closed_at: "2026-07-02T10:00:00Z",
    has_base: true,
    due: false,
    behind: null,
    run: null,
    error: "",
    ...about,
  }) as TrainingAtClose;
const curveOf = (day: number) => ({ run: 4, finished_at: `2026-07-0${day}T10:30:00Z` }) as Home["learning"];

test("before it begins it says what it waits for", () => {
  expect(closeNews(closed({ due: true }), null)).toMatchObject({
    says: "Training at the close of round 3:",
    detail: "it starts within half a minute.",
  });
  const behind = closeNews(closed({ due: true, behind: 7 }), null);
  expect(behind?.detail).toBe("it starts when the current training has ended.");
  expect(behind?.link?.to).toBe("prms/runs/7");
});

test("while it runs it says how far it is, and asks often", () => {
  const going = closed({ run: run({ said: "160 labels give 160 rows." }) });
  expect(closeNews(going, curveOf(3))?.detail).toBe("Learning… 160 labels give 160 rows.");
  expect(isUnderWay(going)).toBe(true);
  expect(isUnderWay(closed({ run: run({ status: "succeeded" }) }))).toBe(false);
});

test("what went wrong is said with its reason and the way on, until something newer was measured", () => {
  const failed = closed({ run: run({ status: "failed", error: "The disk is full." }) });
  expect(closeNews(failed, curveOf(1))).toMatchObject({ detail: "The disk is full.", tone: "warn" });
  expect(closeNews(failed, curveOf(3))).toBeNull();
  const refused = closed({ round: { id: 3, number: 3, name: "Pilot" }, error: "Labels of one kind." });
  expect(closeNews(refused, null)).toMatchObject({
    says: "No training started at the close of Pilot.",
    detail: "Labels of one kind. The training at the next close will include its labels.",
    link: { to: "prms/train" },
  });
  expect(closeNews({ ...refused, has_base: false }, null)?.link).toBeNull();
});

test("nothing is said beyond the curve that it measured, but that it measured none", () => {
  const done = closed({ run: run({ status: "succeeded" }) });
  expect(closeNews(done, curveOf(2))).toBeNull();
  expect(closeNews(done, curveOf(1))?.says).toContain("measured no curve");
  expect(closeNews(closed({ round: null, closed_at: null }), null)).toBeNull();
});
