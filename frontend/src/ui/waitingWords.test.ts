import { describe, expect, it } from "vitest";
import { aheadWords, type JobAhead, pageOf, waitingWords } from "./waitingWords";

const first: JobAhead = {
  kind: "trainingrun",
  id: 7,
  words: "training",
  name: "First",
  project: { slug: "algebra", name: "Algebra" },
  running: true,
};
const waiting = { queue: "gpu", workers: 1, ahead: [first], others: 0 };

describe("what a job waits for", () => {
  it("is told by name and link, and how many others there are", () => {
    expect(waitingWords(waiting, "gpu")).toEqual(["Waiting for a worker of the queue gpu, behind ", "."]);
    expect(waitingWords({ ...waiting, others: 2 }, "gpu")[1]).toBe(" and 2 others.");
    expect(aheadWords(first, "algebra")).toBe("training First");
    expect(aheadWords(first, "geometry")).toBe("training First of Algebra");
    expect(pageOf(first)).toBe("/projects/algebra/prms/runs/7");
  });

  it("is a number where nothing of it is this person's to see", () => {
    expect(waitingWords({ ...waiting, ahead: [], others: 1 }, "")[0]).toBe("Waiting for a worker, behind one job.");
    expect(waitingWords({ ...waiting, ahead: [], others: 3 }, "")[0]).toBe("Waiting for a worker, behind 3 jobs.");
  });

  it("ends no sentence within a line", () => {
    expect(waitingWords({ ...waiting, ahead: [] }, "", true)).toEqual(["waiting for a worker", ""]);
    expect(waitingWords(waiting, "", true)[1]).toBe("");
  });

  it("says that nobody works on the queue", () => {
    expect(waitingWords({ ...waiting, workers: 0 }, "gpu")[0]).toContain("None is running now");
  });

  it("has no page for a test scoring, and calls a round without a name by its number once", () => {
    expect(pageOf({ ...first, kind: "prmtrial" })).toBeNull();
    expect(aheadWords({ ...first, kind: "round", words: "round", name: "round 3" }, "algebra")).toBe("round 3");
  });
});
