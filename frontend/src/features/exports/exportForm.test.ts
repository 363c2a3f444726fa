import { describe, expect, test } from "vitest";
import type { ExportFormat, ExportSwitch } from "@/api/jobTypes";
import {
  aboutWords,
  askedSwitches,
  emptyExport,
  exportFrom,
  FINISH_REASONS,
  fileChoices,
  fileWords,
  formatGroups,
  leftOutSentence,
  newExport,
  silentSentence,
  switchValue,
  timeWords,
  wouldHold,
} from "./exportForm";

function oneSwitch(name: string, values: string[], parts: Partial<ExportSwitch> = {}): ExportSwitch {
  return { name, title: name, choices: values.map((value) => ({ value, means: value })), on_form: true, ...parts };
}

function format(name: ExportFormat["name"], switches: ExportSwitch[]): ExportFormat {
  return {
    name,
    title: name,
    kind: "labels",
    means: "For trainers.",
    loses: "Nothing.",
    group: "label",
    switches,
    companions: [],
  };
}

const surplus = oneSwitch("surplus", ["include", "exclude"]);
const neutral = oneSwitch("neutral", ["keep3", "positive"]);
const fixed = oneSwitch("neutral", ["keep3"]);
const gold = oneSwitch("gold", ["exclude", "include"], { on_form: false });
const PRM800K = format("prm800k", [fixed, gold, surplus]);
const TRACES = format("neutral", [neutral, gold, surplus]);
const empty = emptyExport(PRM800K);

describe("a new export", () => {
  test("of an untouched form asks for everything", () => {
    expect(newExport(empty, PRM800K)).toEqual({
      format: "prm800k",
      filters: {},
      switches: {},
      container: "json_lines",
      gzip: false,
      roles: {},
      statements: {},
    });
  });

  test("is a file of one of the server's containers, or JSON lines packed", () => {
    const types = { title: "T", means: "", content_type: "" };
    const containers = [
      { ...types, name: "json_lines" as const, ending: ".jsonl" },
      { ...types, name: "parquet" as const, ending: ".parquet" },
    ];
    const asked = fileChoices({ containers }).map(({ value }) => newExport({ ...empty, file: value }, PRM800K));
    expect(asked.map(({ container, gzip }) => [container, gzip])).toEqual([
      ["json_lines", false],
      ["json_lines", true],
      ["parquet", false],
    ]);
    const known = { containers, formats: [], kinds: [], roles: [], statements: [] };
    expect(fileWords({ gzip: true }, known)).toBe("T, compressed with gzip (.jsonl.gz)");
    expect(fileWords({ container: "parquet" }, undefined)).toBe("parquet");
  });

  test("shows the switches that leave a choice, with their defaults", () => {
    expect(askedSwitches(PRM800K)).toEqual([surplus]);
    expect(askedSwitches(TRACES)).toEqual([neutral, surplus]);
    expect(switchValue(empty, neutral)).toBe("keep3");
  });

  test("sends only the switches its format knows", () => {
    const switches = { neutral: "positive", surplus: "exclude" };
    expect(newExport({ ...empty, switches }, PRM800K).switches).toEqual({ surplus: "exclude" });
    expect(newExport({ ...empty, format: "neutral", switches }, TRACES).switches).toEqual(switches);
  });

  test("forgets a value that another format had", () => {
    const form = { ...empty, switches: { neutral: "drop" } };
    expect(switchValue(form, neutral)).toBe("keep3");
    expect(newExport(form, TRACES).switches).toEqual({ neutral: "keep3" });
  });

  test("with every finish reason ticked is the same as with none", () => {
    expect(newExport({ ...empty, finish: FINISH_REASONS }, PRM800K).filters).toEqual({});
    expect(newExport({ ...empty, finish: ["solution"], rounds: [3], split: "train" }, PRM800K).filters).toEqual({
      finish: ["solution"],
      rounds: [3],
      split: "train",
    });
  });

  test("asks for subjects and agreement where they were chosen", () => {
    const { filters } = newExport({ ...empty, subjects: ["Algebra"], agreement: "differs" }, PRM800K);
    expect(filters).toEqual({ subjects: ["Algebra"], agreement: "differs" });
  });

  test("takes whole days where the person is, the last one included", () => {
    const { filters } = newExport({ ...empty, labelers: [7], since: "2026-03-01", until: "2026-03-01" }, PRM800K);
    expect(filters).toEqual({
      labelers: [7],
      since: new Date(2026, 2, 1).toISOString(),
      until: new Date(2026, 2, 2).toISOString(),
    });
    expect(timeWords({})).toBeNull();
    expect(timeWords(filters ?? {})).toMatch(/^from .+, before .+/);
  });

  test("leaves blank statements out, so that the manifest says unknown", () => {
    const form = {
      ...empty,
      roles: { prm: "  ", policy_model: " llama " },
      statements: { tested_where: "" },
    };
    const asked = newExport(form, PRM800K);
    expect(asked.roles).toEqual({ policy_model: "llama" });
    expect(asked.statements).toEqual({});
  });
});

describe("what a switch keeps out", () => {
  test("is counted beside it, before and after", () => {
    const sorts = { labels: 1200, gold: 12, surplus: 0, imported: 586 };
    expect(aboutWords("gold", sorts)).toBe("12 of 1,200 labels.");
    expect(aboutWords("surplus", sorts)).toBe("The project has none.");
    expect(aboutWords("neutral", sorts)).toBe("");
    expect(leftOutSentence({ gold: 12, imported: 1, excluded: 2 })).toBe(
      "Left out: 12 labels that are gold or screening, 1 label that is imported, 2 labels that are left out by hand.",
    );
    expect(leftOutSentence({ one_a_task: 4, unsettled: 1 })).toBe(
      "Left out: 4 labels that are on tasks that another label stands for, 1 label that is on tasks that are not settled.",
    );
    expect(leftOutSentence({})).toBe("");
    expect(wouldHold({ labels: 40, excluded: 0 })).toBe("The export would hold 40 labels now.");
    expect(wouldHold({ labels: 40, excluded: 1 })).toBe(
      "The export would hold 40 labels now. 1 matching label was left out by hand, under Labels.",
    );
  });
});

test("an export without rows says why", () => {
  const progress = { labels_done: 55, labels_total: 55 };
  const leaves_out = "Steps without a counterpart.";
  expect(silentSentence({ progress, without_rows: { labels: 55, no_verdict: 2, other: 53, leaves_out } })).toBe(
    "55 of 55 labels gave no row: 2 without a verdict, 53 with nothing to make rows of. This format leaves out: Steps without a counterpart.",
  );
  expect(silentSentence({ progress, without_rows: { labels: 0, leaves_out } })).toBe("");
  expect(silentSentence({ progress, without_rows: null })).toBe("");
});

test("a link to the form chooses a round and leaves hasty labels out, and problems that are measured on", () => {
  const asked = exportFrom(new URLSearchParams("round=3&hasty=exclude"), TRACES);
  expect([asked.rounds, asked.switches]).toEqual([[3], { hasty: "exclude" }]);
  expect(exportFrom(new URLSearchParams("measured=exclude"), TRACES).switches).toEqual({ measured: "exclude" });
  expect(exportFrom(new URLSearchParams(""), TRACES)).toEqual(emptyExport(TRACES));
});

test("formats stand with others of their kind, in the order of the kinds", () => {
  const kinds = [
    { name: "pairs" as const, title: "Pairs", means: "two" },
    { name: "labels" as const, title: "Whole", means: "all" },
  ];
  const groups = formatGroups({ formats: [PRM800K, { ...TRACES, kind: "pairs" }], kinds });
  expect(groups.map(({ name, choices }) => [name, choices.map(({ value }) => value)])).toEqual([
    ["Pairs", ["neutral"]],
    ["Whole", ["prm800k"]],
  ]);
});
