import { NativeSelect } from "@mantine/core";
import { useParams } from "react-router";
import type { TaskSummary } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Filters } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { SearchField } from "@/ui/SearchField";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { useRoundsOfTasks, useTasks } from "./queries";
import { TASK_STATES } from "./taskState";
import classes from "./tasks.module.css";

const columns: TableColumn<TaskSummary>[] = [
  {
    name: "Problem",
    main: true,
    cell: (task) => (
      <RowLink to={String(task.id)}>
        <ProblemExcerpt text={task.trace.problem_text} />
      </RowLink>
    ),
  },
  { name: "Round", cell: (task) => task.round.name || `round ${task.round.number}`, width: "150px" },
  {
    name: "State",
    cell: (task) => <StatusMark tone={TASK_STATES[task.state].tone}>{TASK_STATES[task.state].name}</StatusMark>,
  },
  { name: "Labels", cell: (task) => <span className={classes.places}>{labelsOf(task)}</span> },
  { name: "Steps", align: "right", cell: (task) => formatCount(task.trace.step_count) },
];

/** "1 of 3, 1 open": the submitted labels, of the task's slots. */
function labelsOf({ labels, labels_wanted }: TaskSummary): string {
  const places = labels.submitted + labels.open + labels_wanted;
  const open = labels.open > 0 ? `, ${formatCount(labels.open)} open` : "";
  return `${formatCount(labels.submitted)} of ${formatCount(places)}${open}`;
}

export function TasksPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter, clear, filtered } = useUrlFilters(["q", "state", "round"] as const);
  const tasks = useTasks(slug, filters);
  const rounds = useRoundsOfTasks(slug);
  return (
    <>
      <PageHeading title="Tasks" />
      <Filters>
        <SearchField
          label="Problem"
          placeholder="words of the problem"
          value={filters.q}
          onChange={(value) => setFilter("q", value)}
        />
        <NativeSelect
          label="State"
          value={filters.state}
          data={[
            { value: "", label: "any" },
            ...Object.entries(TASK_STATES).map(([value, { name }]) => ({ value, label: name })),
          ]}
          onChange={(event) => setFilter("state", event.currentTarget.value)}
        />
        <NativeSelect
          label="Round"
          value={filters.round}
          data={[
            { value: "", label: "any" },
            ...(rounds.rows ?? []).map((round) => ({
              value: String(round.id),
              label: round.name || `round ${round.number}`,
            })),
          ]}
          onChange={(event) => setFilter("round", event.currentTarget.value)}
        />
      </Filters>
      <PagedTable
        caption="Tasks"
        list={tasks}
        columns={columns}
        rowKey={(task) => task.id}
        one="task"
        empty={
          filtered ? (
            <EmptyState
              inline
              title="No tasks match these filters"
              actions={<Button onClick={clear}>Clear filters</Button>}
            />
          ) : (
            <EmptyState
              inline
              title="No tasks yet"
              actions={
                <StartLink kind="primary" to={`/projects/${slug}/rounds/new`}>
                  Open a round
                </StartLink>
              }
            >
              <p>A task is one trace offered for labeling. Opening a round creates its tasks.</p>
            </EmptyState>
          )
        }
      />
    </>
  );
}
