import type { TraceDetail } from "@/api/projectTypes";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { OUTCOME_WORDS, ratingSign, stepName } from "@/ui/trace/words";
import { differNote, verdictWords } from "./recordedWords";

type Verdict = TraceDetail["recorded_verdicts"][number];

const decisive: TableColumn<Verdict> = {
  name: "Decisive error",
  cell: ({ marks }) => (marks?.decisive_error == null ? "not said" : stepName(marks.decisive_error)),
};

const columns: TableColumn<Verdict>[] = [
  {
    name: "Said by",
    main: true,
    cell: ({ recorded_by, source }) => recorded_by || source || "not named",
  },
  { name: "First error", cell: verdictWords },
  { name: "Ratings", cell: ({ ratings }) => ratings?.map(ratingSign).join(" ") ?? "none" },
  { name: "Answer", cell: ({ outcome }) => (outcome === null ? "" : OUTCOME_WORDS[outcome]) },
  { name: "Generator", cell: ({ generator }) => generator || "unknown" },
  {
    name: "Where",
    cell: ({ file_name, line }) => (file_name === null ? "with the trace" : `${file_name}, line ${line}`),
  },
];

/** Everything that files said about the trace, if that is more than its own verdict. */
export function RecordedVerdicts({ verdicts }: { verdicts: Verdict[] }) {
  const ofRuns = verdicts.some(({ marks }) => marks?.decisive_error != null);
  if (verdicts.length === 0 || (verdicts.length === 1 && !verdicts[0]?.recorded_by)) return null;
  return (
    <Panel bare title="What files say about it" note={differNote(verdicts)}>
      <DataTable
        caption="Recorded verdicts"
        columns={ofRuns ? columns.toSpliced(2, 0, decisive) : columns}
        rows={verdicts}
        rowKey={(verdict) => `${verdict.file_name} ${verdict.line}`}
      />
    </Panel>
  );
}
