import { expect, test } from "vitest";
import { learnedFrom, leftOutWords, switchFact } from "./prmWords";
import { calibrationNews, reportFacts } from "./trainingReport";

test("a report of an older or unfinished training says what it has", () => {
  expect(reportFacts({})).toEqual({
    tried: [],
    measuredOn: "its own problems",
    beatsBaseline: null,
    calibration: null,
    progress: null,
  });
  expect(reportFacts(null).calibration).toBeNull();
  const part = { ece: 0.1, brier: 0.2, bins: [] };
  const meta = { beats_baseline: false, calibration: { temperature: 2, before: part, after: part } };
  const found = reportFacts({ measured_on: "cross-validation", meta });
  expect(found.beatsBaseline).toBe(false);
  expect(found.measuredOn).toContain("left out in turn");
  expect(found.calibration?.temperature).toBe(2);
});

test("labels that are not learned are explained, each once", () => {
  const left_out = { imported: 0, surplus: 0, hasty: 5, majority: 0, other: 1 };
  const split = { in_evaluation_split: 6, problems_in_evaluation_split: 2, unfinished: 3 };
  const told = {
    problems: 9,
    steps: 30,
    wrong_steps: 8,
    hasty: 5,
    refused: "",
    refused_outcomes: "",
    right_answers: 4,
    wrong_answers: 3,
  };
  const words = leftOutWords({ labels: 25, learned: 10, ...told, ...split, left_out });
  expect(words).toHaveLength(4);
  expect(words[0]).toContain("6 labels on 2 problems in the evaluation split");
  expect(words[2]).toBe("5 hasty");
  expect(words[3]).toContain("1 held out");
  const preview = { labels: 25, learned: 10, ...told, ...split, left_out };
  expect(learnedFrom(preview, "outcome")).toBe(7);
  expect(leftOutWords(preview, "outcome")[1]).toBe("3 of traces whose answer is not graded, so the outcome is unknown");
  const none = { in_evaluation_split: 0, problems_in_evaluation_split: 0, unfinished: 0 };
  const all = { imported: 0, surplus: 0, hasty: 0, majority: 0, other: 0 };
  expect(leftOutWords({ labels: 10, learned: 10, ...told, ...none, left_out: all })).toEqual([]);
});

test("a run tells its switches in the words of the form, and what it does not know as it is kept", () => {
  expect(switchFact("neutral", "drop")).toEqual(["Neutral steps (0) count as", "nothing: left out"]);
  expect(switchFact("hasty", "exclude")).toEqual(["Hasty labels", "are left out"]);
  expect(switchFact("of_old", "yes")).toEqual(["of_old", "yes"]);
});

test("calibration that made probabilities worse on held-back problems is said, and only that", () => {
  const part = (ece: number) => ({ ece, brier: 0.2, bins: [] });
  const found = { temperature: 2, measured_on: "test", before: part(0.041), after: part(0.063) };
  expect(calibrationNews(found)).toContain(
    "On its own test problems, its calibration error is 0.063 with calibration and 0.041 without.",
  );
  expect(calibrationNews({ ...found, after: part(0.02) })).toBeNull();
  expect(calibrationNews({ ...found, after: part(0.0411) })).toBeNull();
  expect(calibrationNews(null)).toBeNull();
});
