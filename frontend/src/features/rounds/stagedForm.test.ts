import { describe, expect, test } from "vitest";
import type { Prm, SelectionRules } from "@/api/roundTypes";
import { controlWords, DEFAULT_RULES, hasControl, quotaWords, rulesFaults, rulesFormOf, rulesOf } from "./rulesForm";
import {
  bestPrm,
  emptyStagedForm,
  likeTraces,
  newStagedRound,
  obstacle,
  poolQuestion,
  prmFacts,
  prmObstacle,
  type StagedForm,
} from "./stagedForm";

const KEY = "00000000-0000-4000-8000-000000000001";

function form(parts: Partial<StagedForm>): StagedForm {
  return { ...emptyStagedForm({ base: 2, most: 0, needed: 0 }), ...parts };
}

describe("a round of convincing wrong answers", () => {
  test("sends shares as shares, empty limits as none, and no outcome whatever was typed elsewhere", () => {
    const sent = newStagedRound(form({ name: " First ", outcome: "wrong", level: " 5 ", prm: 3, ratio: 80 }), KEY);
    expect(sent).toMatchObject({
      name: "First",
      prm: 3,
      mode: "per_problem",
      k: 4,
      ratio: 0.8,
      control_share: 0.1,
      per_problem_cap: null,
      budget: null,
      generate: null,
      overlap: 2,
      client_key: KEY,
    });
    expect(JSON.parse(JSON.stringify(sent?.filter))).toEqual({ level: "5" });
  });

  test("is not asked for while a rule or a field of the generating part is at fault", () => {
    expect(poolQuestion(form({ k: "" }))).toBeNull();
    expect(poolQuestion(form({ ratio: 101 }))).toBeNull();
    expect(poolQuestion(form({ steps_min: 9, steps_max: 3 }))).toBeNull();
    expect(poolQuestion(form({ generating: true, server: "local", model: "", prompt: "{problem}" }))).toBeNull();
    expect(newStagedRound(form({ overlap: "" }), KEY)).toBeNull();
  });

  test("with new traces sends how they are made, stop texts with their line breaks", () => {
    const asked = poolQuestion(
      form({
        generating: true,
        server: "local",
        model: " smol ",
        prompt: "{problem}",
        generator: "gpt",
        stop: "\\n\\nProblem:\nEND\n",
        splitter: "newline",
      }),
    );
    expect(asked?.generate).toMatchObject({
      generator: "local",
      model: "smol",
      stop: ["\n\nProblem:", "END"],
      splitter: { kind: "newline", pattern: "" },
    });
  });

  test("without a PRM asks for no second scoring", () => {
    expect(poolQuestion(form({ prm: null, rescore: 16 }))?.rescore).toBe(0);
    expect(poolQuestion(form({ prm: 1, rescore: 16 }))?.rescore).toBe(16);
  });
});

describe("the rules of a selection", () => {
  test("of a round become the same rules again", () => {
    const rules: SelectionRules = {
      mode: "global",
      k: 300,
      ratio: 0.75,
      per_problem_cap: 3,
      budget: 200,
      control_share: 0.05,
      seed: 9,
      mix: {
        unsure: 0.3,
        wavering: 0,
        disagreement: 0.2,
        typical: 0,
        like: 0.1,
        other: 4,
        like_traces: [8, 5],
      },
    };
    expect(rulesOf(rulesFormOf(rules))).toEqual(rules);
  });

  test("keep a cap per problem only where places are given out over all problems", () => {
    expect(rulesOf({ ...DEFAULT_RULES, per_problem_cap: 2 })?.per_problem_cap).toBeNull();
    expect(rulesOf({ ...DEFAULT_RULES, mode: "global", per_problem_cap: 2 })?.per_problem_cap).toBe(2);
  });

  test("name the field that is at fault", () => {
    expect(Object.keys(rulesFaults({ ...DEFAULT_RULES, control_share: 95, budget: 0 }))).toEqual([
      "control_share",
      "budget",
    ]);
    expect(rulesFaults(DEFAULT_RULES)).toEqual({});
  });

  test("round half a place up to the wrong answers", () => {
    expect(quotaWords({ ...DEFAULT_RULES, k: 5, ratio: 50 })).toContain("the 3 most convincing wrong answers");
    expect(quotaWords({ ...DEFAULT_RULES, k: 4, ratio: 100 })).toBe(
      "For each problem: the 4 most convincing wrong answers.",
    );
    expect(quotaWords({ ...DEFAULT_RULES, k: 1 })).toBe("For each problem: the most convincing wrong answer.");
    expect(quotaWords({ ...DEFAULT_RULES, k: 1, ratio: 0 })).toContain("the most convincing trace, right or wrong");
    expect(quotaWords({ ...DEFAULT_RULES, k: "" })).toBe("");
  });
});

test("the random control comes on top of K, and its share of all traces is smaller", () => {
  const form = { ...DEFAULT_RULES, mode: "global" as const, k: 740, control_share: 20 };
  expect(controlWords(form)).toBe("On top of K come 148 of random control: 17 % of 888 traces.");
  expect(controlWords({ ...form, budget: 800 })).toBe(
    "Within the limit in all are 148 of random control: 19 % of 800 traces.",
  );
  expect(controlWords({ ...form, budget: 100 })).toContain(" 20 of random control: 20 % of 100 traces");
  expect(controlWords({ ...form, mode: "per_problem", k: 4 })).toBe(
    "Random control comes on top of K: 20 % of it, which is 17 % of all traces.",
  );
  expect(controlWords({ ...form, control_share: 0 })).toBe("");
});

test("without a PRM chance chooses, and nothing is called convincing", () => {
  expect(quotaWords({ ...DEFAULT_RULES, k: 2 }, true)).toBe("For each problem: 2 traces, drawn at random.");
  expect(hasControl(DEFAULT_RULES, true)).toBe(false);
  const mixed = { ...DEFAULT_RULES, mode: "global" as const, k: 20, typical: 30 };
  expect(quotaWords(mixed, true)).toBe("Over all problems: 14 traces, drawn at random.");
  expect(hasControl(mixed, true)).toBe(true);
});

describe("a mix of ways", () => {
  const mixed = { ...DEFAULT_RULES, mode: "global" as const, k: 20, unsure: 30, control_share: 20 };

  test("is sent as shares, and only where the quota holds over the whole pool", () => {
    expect(rulesOf(mixed)?.mix).toMatchObject({ unsure: 0.3, typical: 0, other: null, like_traces: [] });
    expect(rulesOf({ ...mixed, mode: "per_problem" })?.mix?.unsure).toBe(0);
    expect(rulesFormOf(rulesOf(mixed) ?? {})).toEqual(mixed);
    expect(quotaWords(mixed)).toContain("the 11 most convincing wrong answers, then the 3 most convincing");
    expect(quotaWords({ ...mixed, unsure: 100 })).toBe("Over all problems: nothing by how convincing it is.");
  });

  test("needs a control arm, and what each way goes by", () => {
    expect(rulesFaults({ ...mixed, control_share: 0 }).control_share).toContain("at least 5");
    expect(rulesFaults({ ...mixed, typical: 80 }).typical).toContain("exceed 100");
    expect(rulesFaults({ ...mixed, disagreement: 10 }).other).toBe("Choose one.");
    expect(rulesFaults({ ...mixed, like: 10 }).like_traces).toContain("at least one");
    expect(rulesOf({ ...mixed, like: 10, like_traces: "7, 3 und 7" })?.mix?.like_traces).toEqual([7, 3]);
  });

  test("is filled in where an address names traces that others are to be like", () => {
    const filled = likeTraces(emptyStagedForm({ base: 2, most: 0, needed: 0 }), "7,3");
    expect(newStagedRound(filled, KEY)).toMatchObject({ mode: "global", mix: { like: 1, like_traces: [7, 3] } });
    expect(likeTraces(emptyStagedForm({ base: 2, most: 0, needed: 0 }), null)).toEqual(
      emptyStagedForm({ base: 2, most: 0, needed: 0 }),
    );
  });
});

test("the first thing that is missing is named", () => {
  expect(obstacle(form({}))).toBeNull();
  expect(obstacle(form({ generating: true, server: "local", prompt: "{problem}" }))).toContain("Model:");
  expect(obstacle(form({ k: 0 }))).toBe("Traces (K): From 1 to 10,000,000.");
  expect(obstacle(form({ overlap: "" }))).toContain("Labels per task");
});

test("the promoted PRM is offered first, else of those that are ready the one that has read most here", () => {
  const prm = (id: number, status: Prm["status"], scored: number) => ({ id, status, scored, target: "steps" }) as Prm;
  expect(bestPrm([prm(1, "ready", 0), prm(2, "faulty", 900), prm(3, "ready", 7)])).toBe(3);
  expect(bestPrm([{ ...prm(1, "ready", 900), target: "outcome" }, prm(3, "ready", 7)])).toBe(3);
  expect(bestPrm([{ ...prm(1, "ready", 0), selector: true }, prm(3, "ready", 7)])).toBe(1);
  expect(bestPrm([prm(2, "unchecked", 0)])).toBeNull();
});

test("a PRM that does not beat its baseline is offered with the mark", () => {
  const prm: Partial<Prm> = { kind: "prm", target: "steps", aggregation: "product", scored: 0 };
  expect(prmFacts({ ...prm, baseline_not_beaten: ["Bench"] } as Prm)).toContain(" · baseline not beaten on Bench · ");
  expect(prmFacts({ ...prm, baseline_not_beaten: [] as string[] } as Prm)).not.toContain("baseline");
});

test("a PRM that cannot be used says why", () => {
  expect(prmObstacle({ status: "ready", error: "" })).toBeNull();
  expect(prmObstacle({ status: "faulty", error: "score.weight is missing." })).toBe("score.weight is missing.");
  expect(prmObstacle({ status: "unchecked", error: "" })).toContain("GPU worker");
});
