import { Checkbox, NativeSelect } from "@mantine/core";
import { Link } from "react-router";
import type { Grading, GradingDifference, LeaveOut } from "@/api/roundTypes";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Filters } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { ErrorNotice } from "@/ui/Notice";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { EmptyState } from "@/ui/states";
import { excerpt } from "@/ui/trace/excerpt";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import { OUTCOME_WORDS } from "@/ui/trace/words";
import { useUrlFilters } from "@/ui/useUrlFilters";
import classes from "./gradings.module.css";
import { reasonWords, ruleWords } from "./gradingWords";
import { useDifferences, useLeaveOut } from "./queries";

interface Ticks {
  enabled: boolean;
  set: (asked: LeaveOut) => void;
}

function tickColumn(ticks: Ticks): TableColumn<GradingDifference> {
  return {
    name: "Apply",
    width: "76px",
    cell: ({ trace_id, left_out, kept, problem }) =>
      !kept && (
        <Checkbox
          aria-label={`Apply to “${problem.text.slice(0, 60)}”`}
          checked={!left_out}
          disabled={!ticks.enabled}
          onChange={() => ticks.set({ trace: trace_id, left_out: !left_out })}
        />
      ),
  };
}

function columnsFor(slug: string, ticks: Ticks | null): TableColumn<GradingDifference>[] {
  return [
    ...(ticks ? [tickColumn(ticks)] : []),
    {
      name: "Problem",
      main: true,
      cell: (difference) => (
        <Link className={classes.problem} to={`/projects/${slug}/traces/${difference.trace_id}`}>
          <ProblemExcerpt text={difference.problem.text} />
        </Link>
      ),
    },
    { name: "Was", width: "128px", cell: (difference) => <OutcomeMark outcome={difference.outcome_before} /> },
    {
      name: "Would be",
      width: "150px",
      cell: (difference) => (
        <>
          <OutcomeMark outcome={difference.outcome} />
          <small className={classes.standing}>
            {difference.kept || difference.left_out ? "kept as it was" : reasonWords(difference.reason)}
          </small>
        </>
      ),
    },
    { name: "Found", width: "19%", cell: (difference) => <Answer text={difference.answer} rule={difference.rule} /> },
    { name: "True answer", width: "15%", cell: (difference) => <TrueAnswers difference={difference} /> },
  ];
}

export function Answer({ text, rule }: { text: string; rule?: string }) {
  if (text.trim() === "") return <span className={classes.quiet}>none</span>;
  return (
    <span className={classes.answer}>
      <MathText text={excerpt(text)} />
      {rule && <small className={classes.standing}>{ruleWords(rule)}</small>}
    </span>
  );
}

export function TrueAnswers({ difference: { problem } }: { difference: GradingDifference }) {
  return (
    <>
      <Answer text={problem.answer ?? ""} />
      {problem.accepted_answers.map((answer) => (
        <div key={answer}>
          <small className={classes.quiet}>or </small>
          <Answer text={answer} />
        </div>
      ))}
    </>
  );
}

/** The traces whose outcome would change, with the final answers that were found. */
export function Differences({ slug, grading }: { slug: string; grading: Grading }) {
  const { filters, setFilter, clear, filtered } = useUrlFilters(["outcome", "outcome_before"] as const);
  const differences = useDifferences(grading, filters);
  const leaveOut = useLeaveOut(grading.id);
  const ticks = grading.differences > grading.kept ? { enabled: grading.can_apply, set: leaveOut.mutate } : null;
  if (grading.status !== "succeeded" || grading.differences === 0 || grading.stage === "applying") return null;
  const select = (name: "outcome" | "outcome_before", label: string) => (
    <NativeSelect
      label={label}
      value={filters[name]}
      data={[
        { value: "", label: "any" },
        ...Object.entries(OUTCOME_WORDS).map(([value, words]) => ({ value, label: words })),
      ]}
      onChange={(event) => setFilter(name, event.currentTarget.value)}
    />
  );
  return (
    <Panel
      bare
      title={countOf(grading.differences, "difference")}
      note={
        grading.differences > grading.kept
          ? "Compare each found answer with the true answer before you apply. Traces that you untick stay as they are."
          : "Traces that the grader could not decide, but the import did."
      }
    >
      <Filters>
        {select("outcome_before", "Was")}
        {select("outcome", "Would be")}
      </Filters>
      <ErrorNotice error={leaveOut.error} />
      <PagedTable
        caption="Traces whose outcome would change"
        list={differences}
        columns={columnsFor(slug, ticks)}
        rowKey={(difference) => difference.trace_id}
        one="difference"
        empty={
          <EmptyState
            inline
            title={filtered ? "No differences match these filters" : "The differences are gone"}
            actions={filtered && <Button onClick={clear}>Clear filters</Button>}
          >
            {!filtered && <p>A later grading was started, and that deleted these differences.</p>}
          </EmptyState>
        }
      />
    </Panel>
  );
}
