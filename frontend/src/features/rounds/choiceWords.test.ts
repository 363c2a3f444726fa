import { expect, test } from "vitest";
import type { Round } from "@/api/projectTypes";
import { choiceWords, shownWords } from "./choiceWords";

const words = (config: object) => choiceWords({ config, imported: false } as unknown as Round);
const scorer = { id: 4, name: "Judge" };

test("a round says whether chance or a rule chose its traces, and by whose marks", () => {
  expect(words({ source: "all", filter: {} })).toBe("all traces");
  expect(words({ source: "sample", sample_size: 40, filter: { outcome: "wrong" } })).toBe(
    "a sample of 40 traces from those that fit (outcome wrong)",
  );
  expect(words({ source: "audit", sample_size: 1, filter: {}, by_machine: { scorer, other: null } })).toBe(
    "a random sample of 1 trace from all traces that Judge marked, for an audit",
  );
  const by_machine = { scorer, other: { id: 5, name: "Rollouts" } };
  expect(words({ source: "disagreement", sample_size: 9, filter: {}, by_machine })).toBe(
    "9 traces from all traces where Judge and Rollouts differ, with a random control",
  );
});

test("a round says when its labelers see a machine's marks, and how many tasks show none", () => {
  expect(shownWords({ source: 4, when: "after", blind_share: 0.5 })).toBe("seen after the label, by who asks");
  expect(shownWords({ source: 4, when: "beside", blind_share: 0.4 })).toContain("40 % of tasks, by chance, show none");
});
