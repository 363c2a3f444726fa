import { Link } from "react-router";
import type { Grading, GradingDifference } from "@/api/roundTypes";
import type { TableColumn } from "@/ui/DataTable";
import { PagedTable } from "@/ui/PagedTable";
import { Panel } from "@/ui/Panel";
import { EmptyState } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { Answer, TrueAnswers } from "./Differences";
import classes from "./gradings.module.css";
import { reasonWords } from "./gradingWords";
import { useNotGraded } from "./queries";

function columnsFor(slug: string): TableColumn<GradingDifference>[] {
  return [
    {
      name: "Problem",
      main: true,
      cell: ({ trace_id, problem }) => (
        <Link className={classes.problem} to={`/projects/${slug}/traces/${trace_id}`}>
          <ProblemExcerpt text={problem.text} />
        </Link>
      ),
    },
    { name: "Why", width: "24%", cell: ({ reason }) => reasonWords(reason) },
    { name: "Found", width: "19%", cell: ({ answer, rule }) => <Answer text={answer} rule={rule} /> },
    { name: "True answer", width: "15%", cell: (grade) => <TrueAnswers difference={grade} /> },
  ];
}

/** The traces that were not graded before and could not be graded now, with the grader's reasons. */
export function NotGraded({ slug, grading }: { slug: string; grading: Grading }) {
  const list = useNotGraded(grading);
  if (list.rows?.length === 0 && !list.hasNextPage) return null;
  return (
    <Panel bare title="Still not graded" note="Traces without an outcome whose answer the grader could not decide.">
      <PagedTable
        caption="Traces that are still not graded"
        list={list}
        columns={columnsFor(slug)}
        rowKey={({ trace_id }) => trace_id}
        one="trace"
        empty={<EmptyState inline title="Every trace is graded" />}
      />
    </Panel>
  );
}
