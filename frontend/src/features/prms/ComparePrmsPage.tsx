import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import type { Comparison, Difference, Disagreement, Evaluation } from "@/api/trainingTypes";
import { ButtonLink } from "@/ui/Button";
import { NOT_BEATEN } from "@/ui/baselineWords";
import { decimal } from "@/ui/charts/estimateWords";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { FIGURES, type Standing, standing, standings } from "@/ui/figureWords";
import { MathText } from "@/ui/math/MathText";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { OUTCOME_WORDS, stepName } from "@/ui/trace/words";
import { differenceWords, verdictOf } from "./comparison";
import { PickingChart } from "./EvaluationCharts";
import { NeverWrong } from "./NeverWrong";
import classes from "./prms.module.css";

import { useComparison } from "./queries";
import { UnknownOrigin } from "./UnknownOrigin";

/** Two PRMs on one set, figure by figure, and the traces on which they are furthest apart. */
export function ComparePrmsPage() {
  const { slug = "" } = useParams();
  const [params] = useSearchParams();
  const left = Number(params.get("left"));
  const right = Number(params.get("right"));
  const comparison = useComparison(slug, left, right);
  return (
    <>
      <PageHeading
        title="Two PRMs side by side"
        actions={<ButtonLink to={`/projects/${slug}/evaluations`}>Evaluations</ButtonLink>}
      />
      {!(left > 0 && right > 0) && (
        <EmptyState inline title="Choose two evaluations">
          <p>Tick two in the list of evaluations. Both must be on the same set.</p>
        </EmptyState>
      )}
      {comparison.isLoading && <SkeletonLines lines={10} />}
      {comparison.isError && (
        <ErrorState
          inline
          title="These two cannot be compared"
          error={comparison.error}
          actions={<ButtonLink to={`/projects/${slug}/evaluations`}>Choose others</ButtonLink>}
        />
      )}
      {comparison.data && <Body slug={slug} comparison={comparison.data} />}
    </>
  );
}

function Body({ slug, comparison }: { slug: string; comparison: Comparison }) {
  const { left, right, disagreements } = comparison;
  return (
    <>
      <Verdict comparison={comparison} />
      <NeverWrong slug={slug} evaluation={left} />
      <NeverWrong slug={slug} evaluation={right} />
      <NotBeaten evaluations={[left, right]} />
      <UnknownOrigin evaluations={left.prm.id === right.prm.id ? [left] : [left, right]} />
      <Figures comparison={comparison} />
      {(left.report?.best_of_n || right.report?.best_of_n) && (
        <div className={classes.charts}>
          <PickingChart best={left.report?.best_of_n ?? null} of={left.prm.name} />
          <PickingChart best={right.report?.best_of_n ?? null} of={right.prm.name} />
        </div>
      )}
      <Panel
        title="Where they disagree most"
        note={`Sorted by their largest difference on one step: ${left.prm.name} above, ${right.prm.name} below. Select a step to read it.`}
      >
        {disagreements.length === 0 ? (
          <p className={classes.quiet}>No trace in the set was scored by both.</p>
        ) : (
          <>
            <HeatKey />
            <ul className={classes.disagreements}>
              {disagreements.map((one) => (
                <Disagreed key={one.trace_id} slug={slug} one={one} left={left} right={right} />
              ))}
            </ul>
          </>
        )}
      </Panel>
    </>
  );
}

/** Even the better of two PRMs may say no more than position and length do. */
function NotBeaten({ evaluations }: { evaluations: readonly Evaluation[] }) {
  const names = new Set(evaluations.filter((one) => one.report?.beats_baseline === false).map((one) => one.prm.name));
  if (names.size === 0) return null;
  return (
    <Notice tone="warn" title={`Baseline ${NOT_BEATEN}: ${[...names].join(", ")}`}>
      As far as this set can show, position and length alone predict as well.
    </Notice>
  );
}

/** Every figure counts: none is hidden behind another. */
function Verdict({ comparison }: { comparison: Comparison }) {
  const { tone, title } = verdictOf(comparison);
  const { better, worse, undecided } = standings(comparison.differences);
  const lines = [
    ["Worse", worse],
    ["Better", better],
    ["Undecided", undecided],
  ] as const;
  return (
    <Notice tone={tone} title={title}>
      {lines.map(([name, figures]) => figures.length > 0 && <div key={name}>{`${name}: ${figures.join("; ")}.`}</div>)}
      <div>
        Both were measured on the same traces of {comparison.left.evaluation_set.name}. A figure is undecided if the 95
        % interval of the difference includes 0.
      </div>
    </Notice>
  );
}

const MARKS: Record<Standing, { tone: StatusTone; name: string }> = {
  better: { tone: "good", name: "better" },
  worse: { tone: "bad", name: "worse" },
  undecided: { tone: "quiet", name: "undecided" },
  unknown: { tone: "quiet", name: "no interval" },
};

/** One row per figure: both values, the difference, and what can be concluded from it. */
function Figures({ comparison }: { comparison: Comparison }) {
  const { left, right, differences } = comparison;
  const order = Object.keys(FIGURES);
  const rows = differences
    .filter((one) => FIGURES[one.name])
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  const widest = Math.max(
    0.01,
    ...rows.flatMap((row) => [row.value, row.low, row.high].map((end) => Math.abs(end ?? 0))),
  );
  const value = (evaluation: Evaluation, name: string) => {
    const found = evaluation.report?.figures.find((figure) => figure.name === name)?.value ?? null;
    return <span className="tabular">{found === null ? "n/a" : decimal(found, 3)}</span>;
  };
  const columns: TableColumn<Difference>[] = [
    {
      name: "Figure",
      main: true,
      cell: (row) => (
        <>
          {FIGURES[row.name]?.name}
          <small className={classes.note}>{FIGURES[row.name]?.means}</small>
        </>
      ),
    },
    { name: left.prm.name, align: "right", cell: (row) => value(left, row.name) },
    { name: right.prm.name, align: "right", cell: (row) => value(right, row.name) },
    {
      name: "Difference",
      width: "300px",
      cell: (row) => (
        <div className={classes.difference}>
          <DifferenceBar row={row} widest={widest} />
          <span className="tabular">{differenceWords(row)}</span>
        </div>
      ),
    },
    {
      name: "Verdict",
      cell: (row) => <StatusMark tone={MARKS[standing(row)].tone}>{MARKS[standing(row)].name}</StatusMark>,
    },
  ];
  return (
    <Panel
      bare
      title="Figure by figure"
      note={`Each difference is ${left.prm.name} minus ${right.prm.name}, paired over problems. The verdict is about ${left.prm.name}.`}
    >
      <DataTable
        aligned
        caption="Figures of both, and how far apart they are"
        columns={columns}
        rows={rows}
        rowKey={(row) => row.name}
      />
    </Panel>
  );
}

/** A difference around zero with its interval, all rows on one scale. */
function DifferenceBar({ row, widest }: { row: Difference; widest: number }) {
  const place = (value: number) => `${50 + (value / widest) * 48}%`;
  const width = (from: number, to: number) => `${((to - from) / widest) * 48}%`;
  return (
    <span className={classes.about} data-standing={standing(row)} aria-hidden>
      <u />
      {row.low !== null && row.high !== null && <i style={{ left: place(row.low), width: width(row.low, row.high) }} />}
      {row.value !== null && <b style={{ left: place(row.value) }} />}
    </span>
  );
}

interface DisagreedProps {
  slug: string;
  one: Disagreement;
  left: Evaluation;
  right: Evaluation;
}

function Disagreed({ slug, one, left, right }: DisagreedProps) {
  const [picked, setPicked] = useState<number | null>(null);
  const human =
    one.first_error < 0 ? "people found no error" : `people found the first error at ${stepName(one.first_error)}`;
  return (
    <li>
      <p className={classes.problem}>
        <Link to={`/projects/${slug}/traces/${one.trace_id}`}>
          <MathText text={one.problem} />
        </Link>
      </p>
      <p className={classes.note}>
        {OUTCOME_WORDS[one.outcome]} · {human} · {one.distance.toFixed(2)} apart
      </p>
      <HeatStrip
        scores={one.left_scores}
        label={`Steps as ${left.prm.name} scores them`}
        picked={picked}
        onPick={setPicked}
      />
      <HeatStrip
        scores={one.right_scores}
        label={`Steps as ${right.prm.name} scores them`}
        picked={picked}
        onPick={setPicked}
      />
      {picked !== null && one.steps[picked] !== undefined && (
        <div className={classes.step}>
          <small>{stepName(picked)}</small>
          <MathText text={one.steps[picked]} />
        </div>
      )}
    </li>
  );
}
