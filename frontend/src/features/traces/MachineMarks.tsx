import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { MachineMark } from "@/api/sourceTypes";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { LineChart } from "@/ui/charts/LineChart";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { stepName } from "@/ui/trace/words";
import { firstErrorWords } from "./machineWords";
import classes from "./traces.module.css";

/** What each machine says about a trace, with what it is based on. Only researchers see this page. */
export function MachineMarks({ trace }: { trace: number }) {
  const marks = useQuery({
    queryKey: ["machineMarks", trace],
    queryFn: async ({ signal }) =>
      (await api.get<{ results: MachineMark[] }>(`/api/traces/${trace}/machine_marks`, { signal })).results,
  });
  return (
    <>
      <ErrorNotice error={marks.error} />
      {marks.data?.map((mark) => (
        <Panel key={mark.source.id} title={mark.source.name} note={`${mark.source.kind}: ${firstErrorWords(mark)}`}>
          <Words mark={mark} />
          <Evidence mark={mark} />
          {mark.progress.length > 0 && <Progress mark={mark} />}
        </Panel>
      ))}
    </>
  );
}

function Words({ mark }: { mark: MachineMark }) {
  const lines = mark.words.flatMap((words, step) => words.map((text) => ({ step, text })));
  if (lines.length === 0) return null;
  return (
    <ul className={classes.tasks}>
      {lines.map(({ step, text }) => (
        <li key={`${step} ${text}`}>
          <strong>{stepName(step)}</strong>: {text}
        </li>
      ))}
    </ul>
  );
}

function Evidence({ mark }: { mark: MachineMark }) {
  const { hits, n, votes } = mark.evidence as { hits?: (number | null)[]; n?: number[]; votes?: (number | null)[] };
  if (hits && n) {
    const parts = hits.map((hit, place) => (hit === null ? "–" : `${hit}/${n[place]}`));
    return <p className={classes.evidence}>Right rollouts after 0, 1, … steps: {parts.join(", ")}</p>;
  }
  if (votes) {
    const parts = votes.map((vote) => (vote === null ? "not readable" : vote < 0 ? "no error" : stepName(vote)));
    return <p className={classes.evidence}>Votes: {parts.join(", ")}</p>;
  }
  return null;
}

/** The chance of success along the trace. It is progress for one completer, not correctness. */
function Progress({ mark }: { mark: MachineMark }) {
  const chances = [mark.progress[0]?.before ?? null, ...mark.progress.map((one) => one.after)];
  const points = chances.flatMap((chance, x) => (chance === null ? [] : [{ x, y: chance, low: null, high: null }]));
  const changes = mark.progress.flatMap(({ difference }, step) =>
    difference === null ? [] : [{ x: step + 1, y: difference, low: null, high: null }],
  );
  const number = (value: number | null) => (value === null ? "not asked" : value.toFixed(2));
  return (
    <ChartFigure
      title="Progress"
      note="The chance that this completer reaches the right answer, not whether steps are correct."
      table={{
        head: ["Step", "Before", "After", "Difference"],
        rows: mark.progress.map((one, step) => [
          stepName(step),
          number(one.before),
          number(one.after),
          number(one.difference),
        ]),
      }}
    >
      <LineChart
        lines={[
          ...(points.length > 0
            ? [{ key: "chance", name: "chance of success", tone: "plus" as const, dots: true, points }]
            : []),
          { key: "change", name: "changed by the step", tone: "focus", dots: true, dashed: true, points: changes },
        ]}
        xName="steps"
        yName="chance, and its change"
        yRange={changes.some(({ y }) => y < 0) ? [-1, 1] : [0, 1]}
        formatX={(value) => String(value)}
        summary="The chance of success after each step, and how the step changed it. The numbers are in the table below."
      />
    </ChartFigure>
  );
}
