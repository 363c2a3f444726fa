import { describe, expect, test } from "vitest";
import type { RoundReport, Yield } from "@/api/roundTypes";
import { intervalWords } from "@/ui/charts/IntervalRows";
import { knownMeasures, MEASURES, verdict, yieldRows } from "./reportWords";
import { testReport as report } from "./testReport";

const arm = (found: number, n: number, low: number, high: number): Yield => ({
  found,
  n,
  share: n ? found / n : null,
  low,
  high,
  clusters: n,
  no_interval: null,
});

describe("the verdict on a round", () => {
  test("claims a difference only where the intervals do not touch", () => {
    const apart = report({ yield: { convincing_wrong: arm(36, 40, 0.77, 0.96), control: arm(2, 10, 0.06, 0.51) } });
    expect(verdict(apart)).toContain("difference is more than chance explains");
    const touching = report({ yield: { convincing_wrong: arm(30, 40, 0.6, 0.86), control: arm(5, 10, 0.24, 0.76) } });
    expect(verdict(touching)).toContain("too few labels");
  });

  test("without a control says that nothing can be compared; without labels that nothing can be judged", () => {
    expect(verdict(report({ yield: { convincing_wrong: arm(3, 4, 0.3, 0.95) } }))).toContain("cannot be compared");
    expect(verdict(report({}))).toContain("cannot be judged");
  });

  test("of a round that chance or a filter chose tells only what was found", () => {
    const plain = report({ tasks: { sample: 40 }, yield: { sample: arm(6, 8, 0.4, 0.93) } });
    expect(verdict(plain)).toBe("Labelers found an error in 75 % of the wrong answers they labeled.");
    expect(yieldRows(plain)[0]?.name).toBe("Random sample");
  });

  test("tells of the model's choice first, whatever order the arms come in", () => {
    const rows = yieldRows(report({ yield: { control: arm(2, 2, 0.3, 1), convincing_wrong: arm(3, 4, 0.3, 0.95) } }));
    expect(rows.map((row) => row.key)).toEqual(["convincing_wrong", "control"]);
  });

  test("leaves out arms the round does not have, and keeps those it has without a finished task", () => {
    const rows = yieldRows(
      report({
        yield: { convincing_wrong: arm(3, 4, 0.3, 0.95), control: arm(0, 0, 0, 0), convincing_rest: arm(0, 0, 0, 0) },
      }),
    );
    expect(rows.map((row) => row.key)).toEqual(["convincing_wrong", "control"]);
  });
});

test("a round that nobody has labeled in shows only what is known of it", () => {
  const shown = (parts: Partial<RoundReport>) => knownMeasures(report(parts)).map(({ key }) => key);
  const empty = { labels: { submitted: 0, surplus: 0 } };
  expect(shown(empty)).toEqual(["labels", "shortfall"]);
  expect(shown({ ...empty, give_up_rate: 0 })).toEqual(["labels", "give_up", "shortfall"]);
});

test("every number of a report without labels can be written", () => {
  const empty = report({});
  for (const measure of MEASURES) {
    expect(`${measure.value(empty)} ${measure.note?.(empty) ?? ""}`).not.toMatch(/NaN|undefined|null/);
    expect(measure.means.length).toBeGreaterThan(20);
  }
});

test("a share is told with its interval, or with why it has none", () => {
  const told = (high: number | null) =>
    MEASURES.find(({ key }) => key === "give_up")?.note?.(
      report({
        give_up_rate: 0.1,
        intervals: {
          give_up_rate: {
            value: 0.1,
            low: high && 0.03,
            high,
            n: 40,
            clusters: high === null ? 3 : 12,
            no_interval: high === null ? "few_clusters" : null,
          },
        },
      }),
    );
  expect(told(0.24)).toBe("of 40 labels, 95 %: 3 % to 24 %");
  expect(told(null)).toBe("of 40 labels, 95 %: n/a (3 problems)");
  const lone = yieldRows(report({ yield: { control: { ...arm(1, 2, 0, 1), low: null, high: null, clusters: 2 } } }));
  expect(lone.map((row) => intervalWords({ ...row, no_interval: "few_clusters" }))).toEqual([
    "50 % (1 of 2), 95 %: n/a (2 problems)",
  ]);
});
