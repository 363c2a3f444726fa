import { expect, test } from "vitest";
import type { TrainingAtClose } from "@/api/trainingTypes";
import { closeNews, isUnderWay } from "./closeNews";

const run = (about: object) =>
  ({ id: 9, status: "running", stage: "training", cancel_requested: false, error: "", said: "", ...about }) as object;
const closed = (about: object) =>
  ({
    round: { id: 3, number: 3, name: "" },
    due: false,
    behind: null,
    run: null,
    error: "",
    ...about,
  }) as TrainingAtClose;

test("before it begins it says what it waits for", () => {
  expect(closeNews(closed({ due: true }), null)?.says).toBe(
    "The training at the close of round 3 begins within half a minute.",
  );
  const behind = closeNews(closed({ due: true, behind: 7 }), null);
  expect(behind?.says).toContain("waits until the one that is under way has ended");
  expect(behind?.link?.to).toBe("prms/runs/7");
});

test("while it runs it says how far it is, and asks often", () => {
  const going = closed({ run: run({ said: "160 labels give 160 rows." }) });
  expect(closeNews(going, 4)?.says).toBe("Training at the close of round 3: Learning… 160 labels give 160 rows.");
  expect(isUnderWay(going)).toBe(true);
  expect(isUnderWay(closed({ run: run({ status: "succeeded" }) }))).toBe(false);
});

test("what went wrong is said with its reason and the way on", () => {
  const failed = closeNews(closed({ run: run({ status: "failed", error: "The disk is full." }) }), null);
  expect(failed).toMatchObject({ says: "Training at the close of round 3 failed: The disk is full.", tone: "warn" });
  const refused = closeNews(closed({ round: { id: 3, number: 3, name: "Pilot" }, error: "No base model." }), null);
  expect(refused?.says).toBe(
    "No training began at the close of Pilot: No base model. The next close takes its labels too.",
  );
  expect(refused?.link?.to).toBe("prms/train");
});

test("nothing is said beyond the curve that it measured, but that it measured none", () => {
  const done = closed({ run: run({ status: "succeeded" }) });
  expect(closeNews(done, 9)).toBeNull();
  expect(closeNews(done, 4)?.says).toContain("measured no curve");
  expect(closeNews(closed({ round: null }), null)).toBeNull();
});
