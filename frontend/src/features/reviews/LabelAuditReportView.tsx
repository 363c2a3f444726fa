import type { CorrectedLabel, LabelAudit, LabelAuditArm, LabelAuditReport } from "@/api/labelAuditTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { IntervalRows, intervalWords } from "@/ui/charts/IntervalRows";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatCount, formatPercent } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { ratingSign, stepName } from "@/ui/trace/words";
import classes from "./labelAudit.module.css";
import {
  ARMS,
  armRows,
  chanceWords,
  findingWords,
  MOVE_ORDER,
  MOVES,
  machineWord,
  outcomeWords,
  verdictWord,
} from "./labelAuditWords";
import { UndoLabelAudit } from "./UndoLabelAudit";

/** What a label audit found: the corrected share of both arms, where labels and reviewers differ, and each such label. */
export function LabelAuditReportView({
  slug,
  labelAudit,
  report,
}: {
  slug: string;
  labelAudit: LabelAudit;
  report: LabelAuditReport;
}) {
  return (
    <>
      <Panel
        title={TITLES[labelAudit.status]}
        note={outcomeWords(labelAudit)}
        actions={
          labelAudit.status === "finished" && <UndoLabelAudit slug={slug} labelAudit={labelAudit} report={report} />
        }
      >
        <p className={classes.finding}>{findingWords(report, labelAudit.prm.kind)}</p>
      </Panel>
      <div className={classes.charts}>
        <Shares title="Corrected, of all labels" report={report} of={(arm) => arm.corrected} />
        <Shares title="Of labels that found an error" report={report} of={(arm) => arm.said_error} />
        <Shares title="Of labels that found none" report={report} of={(arm) => arm.said_no_error} />
      </div>
      <Panel bare title="How the first error differs" note="What reviewers say of the corrected labels.">
        <DataTable
          caption="Corrections by kind and arm"
          rowKey={(move) => move}
          rows={MOVE_ORDER}
          columns={[
            { name: "The reviewer says", main: true, cell: (move) => MOVES[move] },
            ...report.arms.map((arm) => ({
              name: ARMS[arm.arm].name,
              align: "right" as const,
              width: "190px",
              cell: (move: CorrectedLabel["move"]) => formatCount(arm.moves[move] ?? 0),
            })),
          ]}
        />
      </Panel>
      <Panel
        bare
        title="Steps rated otherwise"
        note="Steps that both rated, by the label’s rating. Steps of one trace are not independent, so no interval is given."
      >
        <DataTable
          caption="Changed step ratings by rating and arm"
          rowKey={(rating) => rating}
          rows={[1, 0, -1]}
          columns={[
            { name: "The label says", main: true, cell: (rating) => ratingSign(rating) },
            ...report.arms.map((arm) => ({
              name: ARMS[arm.arm].name,
              align: "right" as const,
              width: "190px",
              cell: (rating: number) => changedWords(arm, rating),
            })),
          ]}
        />
      </Panel>
      <Corrected
        slug={slug}
        rows={report.corrected}
        reviewed={report.arms.some((arm) => arm.reviewed > 0)}
        machine={machineWord(labelAudit.prm.kind)}
      />
    </>
  );
}

const TITLES: Record<LabelAudit["status"], string> = {
  open: "What it found",
  finished: "What it found",
  cancelled: "Cancelled",
  undone: "Undone",
};

interface SharesProps {
  title: string;
  report: LabelAuditReport;
  of: (arm: LabelAuditArm) => LabelAuditArm["corrected"];
}

function Shares({ title, report, of }: SharesProps) {
  const rows = armRows(report, of);
  return (
    <ChartFigure
      title={title}
      note="with 95 % intervals"
      table={{ head: ["Arm", "Corrected"], rows: rows.map((row) => [row.name, intervalWords(row)]) }}
      empty={rows.every((row) => row.whole === 0) ? "n/a: no such label was reviewed." : undefined}
    >
      <IntervalRows rows={rows} />
    </ChartFigure>
  );
}

function changedWords(arm: LabelAuditArm, rating: number): string {
  const steps = arm.steps.find((one) => one.rating === rating);
  if (!steps || steps.n === 0) return "n/a";
  return `${formatPercent(steps.changed, steps.n)} (${formatCount(steps.changed)} of ${formatCount(steps.n)})`;
}

interface CorrectedProps {
  slug: string;
  rows: CorrectedLabel[];
  reviewed: boolean;
  machine: string;
}

function Corrected({ slug, rows, reviewed, machine }: CorrectedProps) {
  const columns: TableColumn<CorrectedLabel>[] = [
    {
      name: "Problem",
      main: true,
      cell: (row) => (
        <>
          <RowLink to={`/projects/${slug}/review/${row.task_id}`}>
            <ProblemExcerpt text={row.problem_text} />
          </RowLink>
          {row.note && <small className={classes.note}>{row.note}</small>}
        </>
      ),
    },
    { name: "Arm", width: "120px", cell: (row) => ARMS[row.arm].name },
    {
      name: "Label",
      width: "130px",
      cell: (row) => (
        <>
          {verdictWord(row.before)}
          <small className={classes.note}>{row.labeler.display_name}</small>
        </>
      ),
    },
    {
      name: "Reviewer",
      width: "130px",
      cell: (row) => (
        <>
          {verdictWord(row.after)}
          <small className={classes.note}>
            {row.reviewer.display_name}
            {!row.ruled && ", no ruling"}
          </small>
        </>
      ),
    },
    {
      name: "Chance it had",
      width: "120px",
      align: "right",
      cell: (row) => (
        <>
          {chanceWords(row.surprisal)}
          <small className={classes.note}>{stepName(row.least_likely_step)}</small>
        </>
      ),
    },
  ];
  return (
    <Panel
      bare
      title="Corrected labels"
      note={`Sorted by the chance that the ${machine} gave the label’s least likely rating, lowest first.`}
    >
      {rows.length > 0 ? (
        <DataTable caption="Corrected labels" columns={columns} rows={rows} rowKey={(row) => row.label_id} />
      ) : (
        <p className={classes.quiet}>{reviewed ? "Every label was confirmed." : "Nothing was reviewed."}</p>
      )}
    </Panel>
  );
}
