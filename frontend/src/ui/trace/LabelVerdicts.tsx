import type { ReactNode } from "react";
import { formatDateTime, formatDuration } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import type { ShownLabel } from "./shownLabel";
import classes from "./trace.module.css";
import {
  BAD_PROBLEM_WORDS,
  FINISH_WORDS,
  PROGRESS_WORDS,
  RUN_OUTCOME_WORDS,
  RUN_SAFETY_WORDS,
  ratingSign,
  stepName,
} from "./words";

/** Each label's verdict: how it ended, the first error, time, and everything its labeler wrote. */
export function LabelVerdicts({ labels }: { labels: ShownLabel[] }) {
  return (
    <ul className={classes.verdicts}>
      {labels.map((label) => (
        <li key={label.id}>
          <div className={classes.who}>
            <strong>{label.labeler.display_name}</strong>
            <span>{verdict(label)}</span>
          </div>
          <p className={classes.when}>{circumstances(label)}</p>
          <Written label={label} />
        </li>
      ))}
    </ul>
  );
}

function verdict(label: ShownLabel): string {
  const reason = FINISH_WORDS[label.finish_reason ?? ""] ?? label.status;
  const kind = label.finish_detail.kind ? `: ${BAD_PROBLEM_WORDS[label.finish_detail.kind] ?? ""}` : "";
  const error = label.verdict === null || label.verdict < 0 ? "" : ` at ${stepName(label.verdict)}`;
  const late =
    label.noticed_at_step !== null && label.noticed_at_step !== label.verdict
      ? `, noticed at ${stepName(label.noticed_at_step)}`
      : "";
  return `${reason}${kind}${error}${late}`;
}

const SURPLUS = {
  round_closed: "its round was closed before it came",
  slot_taken: "the task already had its labels, or its labeler was paused",
  unsaid: "the task already had its labels, its labeler was paused, or its round was closed",
};

function circumstances(label: ShownLabel): string {
  return [
    label.submitted_at && formatDateTime(label.submitted_at),
    label.active_ms > 0 && `${formatDuration(label.active_ms)} active`,
    label.total_ms !== null && `${formatDuration(label.total_ms)} in all`,
    label.guideline_version && `guidelines version ${label.guideline_version}`,
    label.surplus && `surplus: ${SURPLUS[label.surplus_because ?? "unsaid"]}`,
    label.scores_revealed_at && !label.edited_after_reveal && "saw the model’s scores after submitting",
    label.edited_after_reveal && "given or changed after seeing a machine’s view",
    label.status === "ruling" && "a reviewer’s: it settled the trace",
    label.status === "superseded" && "replaced or withdrawn later",
    label.excluded && "left out by hand: not in exports and trainings",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What the labeler was asked to confirm, and confirmed. */
const CONFIRMED: Record<string, string> = {
  solution_but_answer_wrong: "Confirmed: every step is good, though the answer is graded wrong",
  error_but_answer_correct: "Confirmed: there is an error, though the answer is graded right",
  solution_with_error: "Confirmed: a solution, though a step is rated −1",
};

function Written({ label }: { label: ShownLabel }) {
  const parts: [name: string, text: ReactNode][] = [];
  if (label.finish_detail.text) parts.push(["Reason", label.finish_detail.text]);
  if (label.mistake?.progress) parts.push(["Before the error", PROGRESS_WORDS[label.mistake.progress]]);
  if (label.mistake?.explanation) parts.push(["The mistake", <MathText key="text" text={label.mistake.explanation} />]);
  const { kind, clause, corrected_step: corrected, explanations = [] } = label.mistake ?? {};
  if (kind || clause) parts.push(["Kind of mistake", [kind, clause].filter(Boolean).join(", ")]);
  if (corrected) parts.push(["It should say", <MathText key="text" text={corrected} />]);
  for (const [place, { text, rating, flagged }] of explanations.entries()) {
    const rated = rating === null ? "not rated" : `rated ${ratingSign(rating)}`;
    parts.push([
      `Explanation ${place + 1} by a machine, ${rated}${flagged ? ", unsure" : ""}`,
      <MathText key="text" text={text} />,
    ]);
  }
  if (label.run_marks) parts.push(...runParts(label.run_marks));
  for (const report of label.reports) {
    if (report.kind === "answer_wrong") parts.push(["The answer guess looks wrong", report.text || "no comment"]);
  }
  for (const { code, reason } of label.confirmations) parts.push([CONFIRMED[code] ?? `Confirmed (${code})`, reason]);
  if (label.note) parts.push(["Why", label.note]);
  if (parts.length === 0) return null;
  return (
    <dl className={classes.written}>
      {parts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function runParts(marks: NonNullable<ShownLabel["run_marks"]>): [name: string, text: ReactNode][] {
  const parts: [string, string][] = [];
  if (marks.decisive_error !== null) parts.push(["Decisive error", stepName(marks.decisive_error)]);
  if (marks.recovered_at !== null) parts.push(["Recovered at", stepName(marks.recovered_at)]);
  if (marks.outcome) parts.push(["Outcome of the run", RUN_OUTCOME_WORDS[marks.outcome] ?? marks.outcome]);
  if (marks.safety !== "none")
    parts.push(["Safety", [RUN_SAFETY_WORDS[marks.safety] ?? marks.safety, marks.clause].filter(Boolean).join(", ")]);
  for (const { step, clause, text, verdict, severity, comment } of marks.acts ?? []) {
    const judged = verdict === "in_line" ? "in line with" : "against";
    const words = [`${judged} ${clause} ${text ?? ""}`.trim(), severity && `${severity} severity`, comment];
    parts.push([`Act at ${stepName(step)}`, words.filter(Boolean).join("; ")]);
  }
  if (marks.comment) parts.push(["Comment on the run", marks.comment]);
  return parts;
}
