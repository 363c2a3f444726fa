import { describe, expect, it } from "vitest";
import type { Leaderboard, ModelEvent, ModelHistory } from "@/api/trainingTypes";
import { eventPath, eventWords, modelsHeadline, rowWarnings } from "./modelWords";

const auc = (value: number) => ({ name: "auc", value, low: value - 0.05, high: value + 0.05, n: 40 });
const row = (name: string, value: number, about: object = {}) => ({
  prm: { id: 1, name },
  current: true,
  selector: false,
  never_wrong: false,
  origin_known: true,
  figures: [auc(value)],
  ...about,
});
const history = (selector: string | null, ...rows: object[]) =>
  ({
    events: [{}],
    selector: selector && { id: 1, name: selector },
    leaderboards: rows.length > 0 ? [{ set: { name: "Bench" }, rows }] : [],
  }) as unknown as ModelHistory;
const event = (about: object) => ({ id: 4, of: "", set: "", status: "succeeded", ...about }) as unknown as ModelEvent;

describe("the models of a project", () => {
  it("begin with what selects, and with what was measured higher", () => {
    expect(modelsHeadline({ ...history(null), events: [] })).toContain("No model yet");
    expect(modelsHeadline(history("Old"))).toBe("Old selects; none has been evaluated.");
    expect(modelsHeadline(history("Old", row("Old", 0.8, { selector: true })))).toBe(
      "Old selects and has the highest step AUC on Bench: 0.800, 95 %: 0.75 to 0.85.",
    );
    expect(modelsHeadline(history("Old", row("New", 0.9), row("Old", 0.8, { selector: true })))).toBe(
      "Old selects; New has the highest step AUC on Bench: 0.900, 95 %: 0.85 to 0.95, against 0.800. Compare the two before you promote one.",
    );
    const flat = { beats_baseline: false };
    expect(modelsHeadline(history("Old", row("Old", 0.5, { selector: true, ...flat })))).toBe(
      "Old selects and has the highest step AUC on Bench: 0.500, 95 %: 0.45 to 0.55, baseline not beaten.",
    );
    expect(
      modelsHeadline(history("Old", row("New", 0.6, flat), row("Old", 0.5, { selector: true, ...flat }))),
    ).toContain("0.55 to 0.65, baseline not beaten, against 0.500, baseline not beaten. Compare");
    expect(modelsHeadline(history("Old", row("Lost", 0.9, { current: false })))).toContain("none has been evaluated");
  });

  it("say what happened, also where it failed, and where that is told", () => {
    expect(eventWords(event({ kind: "trained", labels: 120 }))).toBe("learned from 120 labels");
    expect(eventWords(event({ kind: "trained", status: "failed" }))).toBe("training failed");
    const at_close_of = { id: 3, number: 3, name: "" };
    expect(eventWords(event({ kind: "trained", labels: 120, at_close_of }))).toBe(
      "learned from 120 labels, at the close of round 3",
    );
    expect(
      eventWords(event({ kind: "trained", status: "running", at_close_of: { ...at_close_of, name: "Pilot" } })),
    ).toBe("is learning, at the close of Pilot");
    expect(eventWords(event({ kind: "evaluated", set: "Bench", auc: auc(0.8) }))).toContain("on Bench: step AUC 0.800");
    expect(eventWords(event({ kind: "evaluated", set: "Bench", status: "running" }))).toBe(
      "is being measured on Bench",
    );
    expect(eventWords(event({ kind: "evaluated", set: "Bench", status: "queued" }))).toBe(
      "is waiting for a worker to be measured on Bench",
    );
    expect(eventWords(event({ kind: "trained", status: "queued" }))).toBe("is waiting for a worker to learn");
    expect(eventPath(event({ kind: "evaluated" }))).toBe("evaluations/4");
    expect(eventPath(event({ kind: "made", of: "judge" }))).toBe("sources");
    expect(eventPath(event({ kind: "promoted", prm: null }))).toBeNull();
    expect(eventPath(event({ kind: "promoted", prm: { id: 9 } }))).toBe("prms/9");
  });

  it("warn of what does not compare", () => {
    const odd = row("Odd", 0.5, { current: false, never_wrong: true, origin_known: false });
    expect(rowWarnings(odd as unknown as Leaderboard["rows"][number])).toHaveLength(3);
    expect(rowWarnings(row("Fine", 0.5) as unknown as Leaderboard["rows"][number])).toEqual([]);
  });
});
