import { useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import type { Comparison, Disagreement, Evaluation } from "@/api/trainingTypes";
import { ButtonLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { FigureRows } from "@/ui/charts/FigureRows";
import { MathText } from "@/ui/math/MathText";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { HeatKey, HeatStrip } from "@/ui/trace/HeatStrip";
import { OUTCOME_WORDS, stepName } from "@/ui/trace/words";
import { PickingChart } from "./EvaluationCharts";
import classes from "./prms.module.css";
import { differenceWords, estimateWords, FIGURES } from "./prmWords";
import { useComparison } from "./queries";

/** Two PRMs on one set, figure by figure, and the traces on which they are farthest apart. */
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
          <p>Tick two in the list of evaluations. They have to be on one set.</p>
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
  const { left, right, auc_difference, disagreements } = comparison;
  const sure =
    auc_difference.low !== null && auc_difference.high !== null && (auc_difference.low > 0 || auc_difference.high < 0);
  return (
    <>
      <Notice tone={sure ? "good" : "info"} title={differenceWords(auc_difference, left.prm.name, right.prm.name)}>
        On {left.evaluation_set.name}, the same traces for both, drawn together.
      </Notice>
      <div className={classes.charts}>
        <Figures evaluation={left} other={right} />
        <Figures evaluation={right} other={left} />
      </div>
      <div className={classes.charts}>
        <PickingChart best={left.report?.best_of_n ?? null} />
        <PickingChart best={right.report?.best_of_n ?? null} />
      </div>
      <Panel
        title="Where they disagree most"
        note="By their largest distance over a step. Left above, right below; press a step to read it."
      >
        {disagreements.length === 0 ? (
          <p className={classes.quiet}>No trace of the set was scored by both.</p>
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

function Figures({ evaluation, other }: { evaluation: Evaluation; other: Evaluation }) {
  const others = new Map(other.report?.figures.map((figure) => [figure.name, figure]));
  const figures = (evaluation.report?.figures ?? []).filter((figure) => FIGURES[figure.name]);
  const order = Object.keys(FIGURES);
  const sorted = figures.toSorted((one, two) => order.indexOf(one.name) - order.indexOf(two.name));
  return (
    <ChartFigure
      title={evaluation.prm.name}
      note={evaluation.labels_used === null ? "not trained here" : `${evaluation.labels_used} labels`}
      table={{
        head: ["Figure", evaluation.prm.name, other.prm.name],
        rows: sorted.map((figure) => [
          FIGURES[figure.name]?.name ?? figure.name,
          estimateWords(figure),
          estimateWords(others.get(figure.name) ?? null),
        ]),
      }}
    >
      <FigureRows
        baselineName={other.prm.name}
        rows={sorted.map((figure) => {
          const against = others.get(figure.name)?.value ?? null;
          const ahead =
            figure.value !== null &&
            against !== null &&
            (figure.lower_is_better ? figure.value < against : figure.value > against);
          return {
            key: figure.name,
            name: FIGURES[figure.name]?.name ?? figure.name,
            means: figure.lower_is_better ? "lower is better" : "",
            value: figure.value,
            low: figure.low,
            high: figure.high,
            baseline: against,
            tone: ahead ? ("plus" as const) : ("zero" as const),
            note:
              against === null ? "" : ahead ? `ahead of ${against.toFixed(3)}` : `the other has ${against.toFixed(3)}`,
          };
        })}
      />
    </ChartFigure>
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
