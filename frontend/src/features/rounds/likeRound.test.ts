import { describe, expect, it } from "vitest";
import type { Round } from "@/api/projectTypes";
import { kindOf, pathLike, plainLike, stagedLike } from "./likeRound";
import { newPathRound } from "./pathForm";
import { emptyRoundForm, newRound } from "./roundForm";
import { emptyStagedForm, newStagedRound } from "./stagedForm";

const KEY = "00000000-0000-4000-8000-000000000001";
const overlap = { base: 1, most: 0, needed: 0 };

function round(parts: object): Round {
  const about = { id: 3, number: 3, name: "Pilot", status: "closed", protocol: "first_error", priority: 4, seed: 7 };
  const asked = { overlap: 2, overlap_most: 4, overlap_needed: 2, imported: false, machine: null, prm: null };
  return { ...about, ...asked, ...parts } as unknown as Round;
}

describe("a new round like an earlier one", () => {
  it("asks what a plain round asked, with the next seed and without its name", () => {
    const filter = { outcome: "wrong", level: "5", steps_min: 3, unlabeled_only: true };
    const earlier = round({
      config: { source: "sample", filter, sample_size: 40, seed: 7 },
      machine: { source: 9, when: "beside", blind_share: 0.25 },
    });
    expect(kindOf(earlier)).toBe("plain");
    expect(newRound(plainLike(emptyRoundForm(overlap), earlier), KEY)).toEqual({
      source: "sample",
      filter,
      sample_size: 40,
      seed: 8,
      by_machine: null,
      name: "",
      overlap: 2,
      overlap_most: 4,
      overlap_needed: 2,
      protocol: "first_error",
      priority: 4,
      machine: { source: 9, when: "beside", blind_share: 0.25 },
      client_key: KEY,
    });
  });

  it("asks for the disagreements an earlier round asked for", () => {
    const by = { scorer: { id: 5 }, other: null, control_share: 0.2, miss_costs: 3, bar: null };
    const earlier = round({ config: { source: "disagreement", filter: {}, sample_size: 10, by_machine: by } });
    expect(newRound(plainLike(emptyRoundForm(overlap), earlier), KEY)?.by_machine).toEqual({
      scorer: 5,
      other: null,
      control_share: 0.2,
      miss_costs: 3,
      bar: null,
    });
  });

  it("chooses and generates as a staged round did", () => {
    const generate = {
      generator: "local",
      model: "m",
      prompt: "Solve {problem}",
      temperature: 0.7,
      top_p: 0.9,
      n: 8,
      max_tokens: 512,
      stop: ["\n\n"],
      seed: 2,
      splitter: { kind: "custom", pattern: "Step" },
    };
    const rules = { mode: "global", k: 50, ratio: 0.6, per_problem_cap: 2, budget: 40, control_share: 0.25 };
    const config = { source: "prm", filter: { subject: "Algebra" }, grade: false, rescore: 0, generate, ...rules };
    const earlier = round({ config, prm: { id: 11, name: "P" }, protocol: "every_step" });
    expect(kindOf(earlier)).toBe("convincing");
    expect(newStagedRound(stagedLike(emptyStagedForm(overlap), earlier), KEY)).toMatchObject({
      ...rules,
      seed: 8,
      prm: 11,
      grade: false,
      filter: { subject: "Algebra" },
      generate: { ...generate, seed: 3 },
      protocol: "every_step",
      overlap: 2,
      name: "",
    });
  });

  it("asks for paths as an earlier round did", () => {
    const config = {
      source: "problems",
      filter: { level: "3" },
      sample_size: 5,
      paths: 2,
      paths_needed: 2,
      paths_most: 3,
    };
    const earlier = round({ config: { ...config, completions: 4, step_cap: 20, neutral_may_be_chosen: true } });
    expect(kindOf(earlier)).toBe("path");
    expect(newPathRound(pathLike(earlier), KEY)).toMatchObject({
      sample_size: 5,
      seed: 8,
      paths: 2,
      paths_needed: 2,
      paths_most: 3,
      completions: 4,
      step_cap: 20,
      neutral_may_be_chosen: true,
      filter: { level: "3" },
    });
  });

  it("is offered of no round that nobody asked for", () => {
    expect(kindOf(round({ imported: true, config: { source: "import" } }))).toBeNull();
    expect(kindOf(round({ status: "screening", config: {} }))).toBeNull();
  });
});
