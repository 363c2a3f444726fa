import { describe, expect, test } from "vitest";
import type { ImportJob, ImportReport } from "@/api/jobTypes";
import { faultReportText, knownSentence, outcomeSentence, remarks, reportOf, unknownFormat } from "./importReport";
import { missing, tidied, whoseAsked } from "./mapping";
import { formatGroups, importForm } from "./uploadChoice";

function report(parts: Partial<ImportReport> = {}): ImportReport {
  return {
    rows: 120,
    problems: { new: 30, known: 0 },
    traces: { new: 118, duplicate_in_file: 0, known: 0 },
    labels: { new: 0, duplicate_in_file: 0, known: 0 },
    faults: { total: 0, kinds: [] },
    imported: true,
    ...parts,
  };
}

function job(parts: Partial<ImportJob>): ImportJob {
  return {
    id: 1,
    file_name: "traces.jsonl",
    format: "neutral",
    dry_run: false,
    skip_faulty: false,
    as_gold: false,
    labels_of: "",
    marks_of: "",
    mapping: {},
    can_map: false,
    split: "",
    status: "succeeded",
    created_at: "2026-11-21T12:00:00Z",
    created_by: null,
    started_at: null,
    finished_at: null,
    progress: { bytes_done: 0, bytes_total: 0, rows: 0, silent_seconds: 0 },
    attempts: 1,
    report: report(),
    error: "",
    ...parts,
  };
}

const faults: ImportReport["faults"] = {
  total: 151,
  kinds: [
    {
      kind: "bad_json",
      count: 150,
      examples: [{ line: 7, field: "", found: '{"problem": ', do: "Close the object." }],
    },
    {
      kind: "empty_step",
      count: 1,
      examples: [{ line: 9, field: "steps[3]", found: "an empty text", do: "Remove the step." }],
    },
  ],
};

describe("the report of an import", () => {
  test("says what came in", () => {
    expect(outcomeSentence(job({}))).toBe("Imported 118 new traces and 30 new problems.");
    expect(outcomeSentence(job({ report: report({ labels: { new: 1, duplicate_in_file: 0, known: 0 } }) }))).toBe(
      "Imported 118 new traces, 30 new problems and 1 label.",
    );
  });

  test("says that nothing can be imported where no row was read, and nothing of rows", () => {
    const none = { new: 0, duplicate_in_file: 0, known: 0 };
    const picture = report({ imported: false, rows: 1, traces: none, problems: { new: 0, known: 0 } });
    picture.faults = { total: 1, kinds: [{ kind: "not_json", count: 1, examples: [] }] };
    expect(outcomeSentence(job({ dry_run: true, report: picture }))).toBe(
      "Nothing in this file can be imported: 1 fault found.",
    );
  });

  test("says so when everything was known already", () => {
    const known = report({ traces: { new: 0, duplicate_in_file: 0, known: 118 }, problems: { new: 0, known: 30 } });
    expect(outcomeSentence(job({ report: known }))).toBe("Imported nothing new.");
  });

  test("says what changed of problems that were known", () => {
    const traces = { new: 0, duplicate_in_file: 0, known: 2 };
    const changed = report({ traces, problems: { new: 0, known: 3, filled: 2, held_out: 1 } });
    expect(outcomeSentence(job({ report: changed }))).toBe(
      "Imported 2 completed problems and 1 newly held-out problem.",
    );
    const [filled, heldOut] = remarks(job({ report: changed }));
    expect(filled).toMatch(/^2 known problems got missing values from the file: right answer, /);
    expect(heldOut).toBe(
      "1 known problem from the train split is now held out, because a row says so. Rounds that are not published yet lose its traces.",
    );
  });

  test("says where rows give another final answer, or another source, than the trace has", () => {
    const told = report({
      other_final_answers: { rows: 2, examples: [{ line: 1, kept: "4", given: "5" }] },
      other_sources: { rows: 1, examples: [{ line: 3, kept: "", given: "GSM8K" }] },
    });
    expect(remarks(job({ report: told }))).toEqual([
      "2 rows give a different final answer from the one the trace has (line 1: “5”, kept: “4”). The trace stays as it is.",
      "A row gives a different source from the one the trace has (line 3: “GSM8K”, kept: none). The trace stays as it is.",
    ]);
  });

  test("says which ids name another problem than before", () => {
    const one = { line: 7, problem_id: "q-1", kept: "What is 2 + 2?", given: "How many?" };
    const said = "line 7: “q-1” is “How many?” here, and “What is 2 + 2?” before";
    const about = "an id that names another problem, in the project or in an earlier row";
    const told = report({ other_problems: { problems: 1, examples: [one] } });
    expect(remarks(job({ report: told }))).toEqual([
      `A problem in the file has ${about} (${said}). In exports, such an id names both. To tell the problems apart, give each its own id.`,
    ]);
    const dry = report({ imported: false, other_problems: { problems: 2000, examples: [one] } });
    expect(remarks(job({ report: dry }))[0]).toMatch(
      /^2,000 problems in the file have .* before; …\)\. In exports, such an id would name both/,
    );
  });

  test("says what was skipped when faulty rows are skipped", () => {
    expect(outcomeSentence(job({ skip_faulty: true, report: report({ faults }) }))).toMatch(/; 151 faults skipped\.$/);
  });

  test("of a dry run says what would come in, not that it did", () => {
    const dry = { dry_run: true, report: report({ imported: false }) };
    expect(outcomeSentence(job(dry))).toBe(
      "The file is clean. Importing it would add 118 new traces and 30 new problems.",
    );
    expect(outcomeSentence(job({ ...dry, report: report({ imported: false, faults }) }))).toMatch(
      /^151 faults found\. /,
    );
  });

  test("of a refused file gives the server's own sentence", () => {
    const refused = job({
      status: "failed",
      error: "Nothing was imported.",
      report: report({ imported: false, faults }),
    });
    expect(outcomeSentence(refused)).toBe("Nothing was imported.");
  });

  test("of a job without one is null, also while the server still has an empty object", () => {
    expect(reportOf(job({ report: {} as ImportReport }))).toBeNull();
    expect(outcomeSentence(job({ status: "cancelled", report: null }))).toMatch(/cancelled/);
  });

  test("counts duplicates in the file and known ones apart", () => {
    const known = report({ traces: { new: 0, duplicate_in_file: 2, known: 116 } });
    expect(knownSentence(known)).toBe(
      "2 rows repeat a trace of the file, 116 traces already known. These are counted, but not imported again.",
    );
    expect(knownSentence(report({ labels: { new: 1, duplicate_in_file: 1, known: 0 } }))).toBe(
      "1 row repeats a label of the file. These are counted, but not imported again.",
    );
    expect(knownSentence(report())).toBe("");
  });

  test("says what was kept of known traces, which benchmarks were met, and which rows made no label", () => {
    const told = report({
      traces: { new: 0, duplicate_in_file: 390, known: 0 },
      problems: { new: 0, known: 0 },
      verdicts: { new: 157, known: 0, filled: 1 },
      benchmarks: [{ name: "ProcessBench", rows: 475 }],
      without_label: 2,
    });
    expect(outcomeSentence(job({ report: told }))).toContain("157 second opinions");
    expect(remarks(job({ report: told }))).toEqual([
      "475 rows are from ProcessBench, a benchmark that others measure on: their problems are held out, unless a row says otherwise. To learn from them anyway, choose “train” under Split.",
      "1 trace without a verdict now has one.",
      "2 rows made no label: whether and where the trace goes wrong is not given.",
    ]);
    expect(remarks(job({ report: told, split: "train" }))[0]).toContain("in the train split");
    expect(unknownFormat(job({ format: "", status: "failed" }))).toBe("not recognised");
  });

  test("says of a benchmark's rows where their problems go, and which say “train” themselves", () => {
    const told = (
      parts: { held_out?: number; says_train?: number; by_split?: number },
      asked: Partial<ImportJob> = {},
    ) => {
      const imported = !asked.dry_run;
      const benchmarks = [{ name: "Mr-Ben", rows: 20, held_out: 0, says_train: 0, by_split: 0, ...parts }];
      return remarks(job({ ...asked, report: report({ benchmarks, imported }) }))[0];
    };
    const met = "20 rows are from Mr-Ben, a benchmark that others measure on:";
    const before = "Problems that the project held out before stay held out, whatever a file says.";
    const choose = "To learn from the held-out ones anyway, choose “train” under Split.";
    const hold = "To hold them all out, remove “split” from the rows.";
    const themselves = "as these rows say";
    expect(told({ says_train: 20 }, { dry_run: true })).toBe(
      `${met} new problems would be in the train split, ${themselves}. ${before} ${hold}`,
    );
    expect(told({ held_out: 20, by_split: 20 })).toBe(`${met} the problems are held out. ${choose}`);
    expect(told({ held_out: 20 })).toBe(`${met} the problems are held out.`);
    expect(told({ held_out: 8, by_split: 8, says_train: 12 })).toBe(
      `${met} the problems of 8 rows are held out; new problems of 12 rows are in the train split, ${themselves}. ${before} ${choose} ${hold}`,
    );
    expect(told({ by_split: 20 }, { split: "train" })).toBe(
      `${met} new problems are in the train split, as you chose. ${before}`,
    );
  });

  test("as text names line, field, what was found and what to do", () => {
    expect(faultReportText(job({ report: report({ faults }) }))).toBe(
      [
        "traces.jsonl: 120 rows read, 151 faults found.",
        "",
        "Bad JSON: 150, the first 1 of them",
        '  line 7: found {"problem": . Close the object.',
        "",
        "Empty step: 1",
        "  line 9, steps[3]: found an empty text. Remove the step.",
      ].join("\n"),
    );
  });
});

test("ratings that became nothing are counted, with the ways to use them", () => {
  expect(remarks(job({ report: report({ recorded: 19 }) })).join(" ")).toMatch(
    /^19 rows with recorded ratings. The ratings stay with their traces. “Make labels of recorded ratings” turns them/,
  );
  expect(remarks(job({}))).toEqual([]);
});

describe("the upload", () => {
  test("offers to find the format out, then what the server lists", () => {
    const format = (name: string, title: string, marks_by = "", always_held_out = false) => {
      return { name, title, means: "", looks_like: "", leaves: "", marks_by, always_held_out };
    };
    const formats = [format("neutral", "Traces"), format("fover", "FoVer", "FoVer"), format("b", "Bench", "", true)];
    expect(formatGroups({ formats }).map(({ choices }) => choices.map(({ name }) => name))).toEqual([
      ["Find out"],
      ["Traces"],
      ["Bench"],
      ["FoVer"],
    ]);
  });

  test("sends no format when the server should find it out, and the file last", () => {
    const form = importForm(new File(["{}"], "a.jsonl"), {
      format: "auto",
      dry_run: true,
      skip_faulty: false,
      as_gold: false,
      labels_of: "  ",
      marks_of: " GPT ",
      split: "",
    });
    expect([...form.keys()]).toEqual(["dry_run", "skip_faulty", "marks_of", "file"]);
    expect(form.get("dry_run")).toBe("true");
  });

  test("sends the format that was chosen", () => {
    const form = importForm(new File(["{}"], "a.jsonl"), {
      format: "prm800k",
      dry_run: false,
      skip_faulty: true,
      as_gold: true,
      labels_of: " Experts ",
      marks_of: "",
      split: "train",
    });
    expect(form.get("format")).toBe("prm800k");
    expect(form.get("skip_faulty")).toBe("true");
    expect(form.get("as_gold")).toBe("true");
    expect(form.get("labels_of")).toBe("Experts");
    expect(form.get("split")).toBe("train");
  });
});

describe("a mapping", () => {
  test("recorded ratings are somebody's labels or a machine's marks, never both", () => {
    const whose = { labels: true, labelsOf: " experts ", marksOf: "a judge" };
    expect(whoseAsked(whose)).toEqual({ labels_of: "experts", marks_of: "" });
    expect(whoseAsked({ ...whose, labels: false })).toEqual({ labels_of: "", marks_of: "a judge" });
  });

  test("says what is still to be chosen, and sends nothing that belongs to no choice", () => {
    expect(missing({})).toBe("Choose the column of the problem.");
    expect(missing({ problem: "a", steps: "a" })).toBe("Problem and steps cannot be the same column.");
    expect(missing({ problem: "a", steps: "b", split: "tag" })).toBe("Enter the text that separates the steps.");
    expect(missing({ problem: "a", steps: "b", split: "tag", pattern: "ки" })).toBeNull();
    const chosen = { problem: "a", steps: "b", split: "list", pattern: "ки", marks: "", marks_are: "hard" };
    expect(tidied(chosen)).toEqual({ problem: "a", steps: "b", split: "list" });
  });
});
