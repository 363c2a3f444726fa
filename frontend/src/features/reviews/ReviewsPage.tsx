import { useEffect, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import type { WaitingTask } from "@/api/reviewTypes";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { OutcomeMark, ProblemExcerpt } from "@/ui/trace/TraceText";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { useReviewCounts, useReviews } from "./queries";
import classes from "./reviews.module.css";
import { KIND_ORDER, KINDS } from "./reviewWords";
import { useListKeys, useMoveKeys } from "./useListKeys";

const columns: TableColumn<WaitingTask>[] = [
  {
    name: "Problem",
    main: true,
    cell: (task) => (
      <RowLink to={String(task.id)}>
        <ProblemExcerpt text={task.problem_text} />
      </RowLink>
    ),
  },
  {
    name: "Why",
    width: "230px",
    cell: (task) => (
      <span className={classes.kinds}>
        {task.kinds.map((kind) => (
          <StatusMark key={kind} tone={KINDS[kind].tone}>
            {KINDS[kind].name}
          </StatusMark>
        ))}
      </span>
    ),
  },
  { name: "Round", width: "130px", cell: (task) => task.round.name || `round ${task.round.number}` },
  { name: "Outcome", width: "130px", cell: (task) => <OutcomeMark outcome={task.outcome} /> },
  { name: "Steps", align: "right", width: "70px", cell: (task) => formatCount(task.step_count) },
];

/** What waits for a reviewer: disputes first, then what labelers reported and wrote. */
export function ReviewsPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter, clear } = useUrlFilters(["kind"] as const);
  const reviews = useReviews(slug, filters.kind);
  const counts = useReviewCounts(slug);
  const list = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const keys = useMoveKeys();
  useListKeys(list, reviews.rows?.length ?? 0, (place) => {
    const task = reviews.rows?.[place];
    if (task) void navigate(`/projects/${slug}/review/${task.id}${filters.kind ? `?kind=${filters.kind}` : ""}`);
  });
  return (
    <>
      <PageHeading title="Review" />
      <Kinds
        counts={counts.data?.kinds}
        all={counts.data?.tasks}
        kind={filters.kind}
        choose={(kind) => setFilter("kind", kind)}
      />
      <div ref={list} className={classes.list}>
        <PagedTable
          caption="Tasks that wait for a reviewer"
          list={reviews}
          columns={columns}
          rowKey={(task) => task.id}
          one="task"
          empty={
            filters.kind ? (
              <EmptyState
                inline
                title="Nothing of this kind waits"
                actions={<Button onClick={clear}>Show all that waits</Button>}
              >
                <p>{KINDS[filters.kind as keyof typeof KINDS]?.means}</p>
              </EmptyState>
            ) : (
              <EmptyState inline title="Nothing waits for a reviewer">
                <p>Disputed traces are listed here, with labelers’ reports and comments on steps.</p>
              </EmptyState>
            )
          }
        />
      </div>
      <p className={classes.hint}>
        <kbd>{keys.next}</kbd> and <kbd>{keys.previous}</kbd> go down and up, <kbd>↵</kbd> opens.
      </p>
    </>
  );
}

interface KindsProps {
  counts: Record<string, number> | undefined;
  all: number | undefined;
  kind: string;
  choose: (kind: string) => void;
}

function Kinds({ counts, all, kind, choose }: KindsProps) {
  const [shown] = useState(KIND_ORDER);
  const current = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the row scrolls to the chosen one
  useEffect(() => {
    current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }); // newer browsers return a promise
  }, [kind]);
  const tab = (value: string, name: string, count: number | undefined) => (
    <button
      key={value}
      ref={value === kind ? current : null}
      type="button"
      aria-pressed={value === kind}
      data-none={count === 0 || undefined}
      onClick={() => choose(value)}
    >
      {name} <b>{count === undefined ? "" : formatCount(count)}</b>
    </button>
  );
  return (
    <search className={classes.tabs} aria-label="Why a task waits">
      {tab("", "All", all)}
      {shown.map((value) => tab(value, KINDS[value].name, counts?.[value]))}
    </search>
  );
}
