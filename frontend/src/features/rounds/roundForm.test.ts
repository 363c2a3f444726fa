import { describe, expect, test } from "vitest";
import { emptyRoundForm, newRound, prefilled, type RoundForm, roundChoice } from "./roundForm";

const KEY = "6b1f0a52-6a0e-4b8e-9c0e-2f6f6d0c9a11";

function form(parts: Partial<RoundForm>): RoundForm {
  return { ...emptyRoundForm({ base: 2, most: 0, needed: 0 }), ...parts };
}

describe("a new round", () => {
  test("of all traces sends no filter, whatever was typed before", () => {
    expect(newRound(form({ name: " Pilot ", outcome: "wrong" }), KEY)).toEqual({
      source: "all",
      filter: {},
      sample_size: null,
      seed: 1,
      by_machine: null,
      machine: null,
      name: "Pilot",
      overlap: 2,
      overlap_most: 0,
      overlap_needed: 0,
      protocol: "",
      priority: 0,
      client_key: KEY,
    });
  });

  test("of a filter sends only what was filled in", () => {
    const typed = form({
      source: "filter",
      outcome: "wrong",
      generator: " gpt-4 ",
      steps_min: 3,
      unlabeled_only: true,
    });
    expect(roundChoice(typed)).toEqual({
      source: "filter",
      filter: { outcome: "wrong", generator: "gpt-4", steps_min: 3, unlabeled_only: true },
      sample_size: null,
      seed: 0,
      by_machine: null,
    });
  });

  test("of a sample sends its size, its seed and the filter it draws from", () => {
    expect(roundChoice(form({ source: "sample", sample_size: 40, seed: 7, level: "5" }))).toEqual({
      source: "sample",
      filter: { level: "5" },
      sample_size: 40,
      seed: 7,
      by_machine: null,
    });
  });

  test("is not asked for while a number is missing or the steps contradict each other", () => {
    expect(roundChoice(form({ source: "sample", sample_size: "" }))).toBeNull();
    expect(roundChoice(form({ source: "filter", steps_min: 9, steps_max: 3 }))).toBeNull();
    expect(newRound(form({ overlap: "" }), KEY)).toBeNull();
  });

  test("without a priority or a seed takes 0 for both", () => {
    expect(newRound(form({ priority: "", seed: "" }), KEY)).toMatchObject({ priority: 0, seed: 0 });
  });
});

describe("a round that is drawn by what a machine said", () => {
  test("of an audit sends the source, the sample and the bar as a share", () => {
    const typed = form({ source: "audit", scorer: 4, sample_size: 50, bar: 85, other: 9 });
    expect(roundChoice(typed)).toEqual({
      source: "audit",
      filter: {},
      sample_size: 50,
      seed: 1,
      by_machine: { scorer: 4, other: null, control_share: 0.1, miss_costs: 1, bar: 0.85 },
    });
  });

  test("of disagreements sends both sides, the control arm and what a miss costs", () => {
    const typed = form({ source: "disagreement", scorer: 4, other: 9, sample_size: 50, control: 20, miss_costs: 3 });
    expect(roundChoice(typed)?.by_machine).toEqual({
      scorer: 4,
      other: 9,
      control_share: 0.2,
      miss_costs: 3,
      bar: null,
    });
  });

  test("is not asked for while no source is chosen, or the same one twice", () => {
    expect(roundChoice(form({ source: "audit", sample_size: 50 }))).toBeNull();
    expect(roundChoice(form({ source: "disagreement", scorer: 4, other: 4, sample_size: 50 }))).toBeNull();
  });

  test("begins as an address asks for it", () => {
    const asked = prefilled(form({}), new URLSearchParams("traces=audit&scorer=4"));
    expect([asked.source, asked.scorer]).toEqual(["audit", 4]);
    const fitting = prefilled(
      form({}),
      new URLSearchParams("traces=filter&outcome=wrong&split=held_out&unlabeled=true&steps_min=3&x=1"),
    );
    expect(roundChoice(fitting)?.filter).toEqual({
      outcome: "wrong",
      split: "held_out",
      unlabeled_only: true,
      steps_min: 3,
    });
    const said = prefilled(form({}), new URLSearchParams("traces=filter&error_max=0&score_max=0&scored_by=4"));
    expect([said.error_to, said.error_from]).toEqual([1, ""]);
    expect(roundChoice(said)?.filter).toEqual({ error_max: 0, score_max: 0, scorer: 4 });
    const picked = prefilled(form({}), new URLSearchParams("traces=filter&ids=3,7,no,-1"));
    expect(roundChoice(picked)).toMatchObject({ source: "filter", filter: { ids: [3, 7] } });
    expect(prefilled(form({}), new URLSearchParams("traces=none&scorer=4")).source).toBe("all");
  });
});

test("the marks that labelers may see after their label go along", () => {
  expect(newRound(form({ shown: 4 }), KEY)?.machine).toEqual({ source: 4, when: "after", blind_share: 0.5 });
  const assisted = newRound(form({ shown: 4, when: "beside", blind: 30 }), KEY)?.machine;
  expect(assisted).toEqual({ source: 4, when: "beside", blind_share: 0.3 });
});
