import type { RoundReport } from "@/api/roundTypes";

/** For tests: the report of a round with labels of which only these parts are known. */
export function testReport(parts: Partial<RoundReport>): RoundReport {
  return {
    round: {
      id: 1,
      number: 1,
      name: "",
      overlap: 1,
      source: "prm",
      mode: "per_problem",
      k: 4,
      ratio: 0.8,
      control_share: 0.1,
    },
    hasty: null,
    prm: null,
    tasks: { convincing_wrong: 40, control: 10 },
    labels: { submitted: 50, surplus: 0 },
    finished: {},
    yield: {},
    false_alarms: { n: 0, of: 0, share: null },
    median_score: { selected: null, pool: null, control: null },
    prm_misses: { n: 0, of: 0, share: null },
    localisation: { n: 0, exact: null, within_1: null, mean_distance: null, no_low_step: 0 },
    dropped: {},
    shortfall: 0,
    give_up_rate: null,
    bad_problem_rate: null,
    intervals: {},
    active_minutes_per_error: null,
    time: null,
    label_mix: {},
    by_day: [],
    ...parts,
  };
}
