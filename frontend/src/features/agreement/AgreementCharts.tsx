import type { AgreeingPair, Agreement, AgreementFigures } from "@/api/reviewTypes";
import { ChartFigure, type Tone } from "@/ui/charts/ChartFigure";
import { type EstimateRow, EstimateRows } from "@/ui/charts/EstimateRows";
import { HeatMap } from "@/ui/charts/HeatMap";
import { countOf, formatCount, formatPercent } from "@/ui/format";
import { FINISH_WORDS } from "@/ui/trace/words";
import classes from "./agreement.module.css";
import { estimateWords, FIGURES, finishMatrix, two, whyNone } from "./agreementWords";

interface AgreementChartsProps {
  found: Agreement;
  /** Whether two labelers are chosen. */
  paired: boolean;
  pick: (one: number, other: number) => void;
}

/** Every figure as a chart, whose numbers are one key press away. */
export function AgreementCharts({ found, paired, pick }: AgreementChartsProps) {
  return (
    <div className={classes.charts}>
      <Overall figures={found.figures} />
      <FinishReasons found={found} paired={paired} />
      <Pairs found={found} pick={pick} />
      <Kappas pairs={found.pairs} />
      <Parts title="By subject" parts={found.by_subject} />
      <Parts title="By level" parts={found.by_level} />
    </div>
  );
}

function Overall({ figures }: { figures: AgreementFigures }) {
  const rows: EstimateRow[] = FIGURES.map(({ name, title, unit }) => ({
    key: name,
    name: title,
    ...figures[name],
    words: estimateWords(figures[name], unit),
    tone: name === "alpha" ? "focus" : "plus",
  }));
  return (
    <ChartFigure
      title="How far labelers agree"
      note="95 % intervals, over traces"
      table={{
        head: ["Figure", "Value", "It means"],
        rows: FIGURES.map(({ name, title, unit, means }) => [title, estimateWords(figures[name], unit), means]),
      }}
    >
      <EstimateRows rows={rows} />
    </ChartFigure>
  );
}

function FinishReasons({ found, paired }: { found: Agreement; paired: boolean }) {
  const matrix = finishMatrix(found.finish_reasons, Object.keys(FINISH_WORDS), paired);
  const names = matrix.reasons.map((reason) => FINISH_WORDS[reason] ?? reason);
  const most = Math.max(1, ...matrix.reasons.flatMap((_, row) => names.map((__, column) => matrix.count(row, column))));
  return (
    <ChartFigure
      title="How two labels of a trace ended"
      note={paired ? "the first labeler’s down, the other’s across" : "each pair of labels once"}
      table={{
        head: ["One", "The other", "Pairs"],
        rows: found.finish_reasons.map(({ one, other, n }) => [
          FINISH_WORDS[one] ?? one,
          FINISH_WORDS[other] ?? other,
          formatCount(n),
        ]),
      }}
    >
      <HeatMap
        label="Finish reasons of two labels of one trace"
        rows={names}
        columns={names}
        cell={(row, column) => {
          const count = matrix.count(row, column);
          if (!paired && column > row) return null;
          return {
            text: formatCount(count),
            strength: Math.sqrt(count / most),
            says: `${names[row]} and ${names[column]}: ${countOf(count, "pair")}, ${formatPercent(count, matrix.total)}`,
          };
        }}
      />
    </ChartFigure>
  );
}

/** A chart has no room for more people than this; the table has all of them. */
const DRAWN = 12;

function Pairs({ found, pick }: { found: Agreement; pick: (one: number, other: number) => void }) {
  const { pairs, labelers } = found;
  const drawn = labelers.slice(0, DRAWN);
  const between = (one: number | undefined, other: number | undefined) =>
    pairs.find((pair) => [pair.one.id, pair.other.id].every((id) => id === one || id === other));
  const names = drawn.map((labeler) => labeler.display_name);
  return (
    <ChartFigure
      title="Same first error, pair by pair"
      note={labelers.length > DRAWN ? `the first ${DRAWN} of ${labelers.length} people` : ""}
      table={{
        head: ["Pair", "Same first error", "Traces"],
        rows: pairs.map((pair) => [pairName(pair), estimateWords(pair.figures.exact, "pair"), pair.traces]),
      }}
    >
      <HeatMap
        label="Share of traces with the same first error, by pair of labelers"
        rows={names.slice(1)}
        columns={names.slice(0, -1)}
        cell={(row, column) => {
          if (column > row) return null;
          const pair = between(drawn[row + 1]?.id, drawn[column]?.id);
          const value = pair?.figures.exact.value ?? null;
          if (!pair || value === null) {
            return { text: "n/a", strength: 0, says: `${names[row + 1]} and ${names[column]}: no trace in common` };
          }
          return {
            text: two(value),
            strength: value,
            says: `${pairName(pair)}: ${estimateWords(pair.figures.exact, "pair")}`,
          };
        }}
      />
      <p className={classes.picks}>
        {pairs.slice(0, 6).map((pair) => (
          <button key={pairName(pair)} type="button" onClick={() => pick(pair.one.id, pair.other.id)}>
            {pairName(pair)}
          </button>
        ))}
      </p>
    </ChartFigure>
  );
}

function pairName({ one, other }: AgreeingPair): string {
  return `${one.display_name} and ${other.display_name}`;
}

function Kappas({ pairs }: { pairs: AgreeingPair[] }) {
  const kinds = [
    { name: "kappa_ratings" as const, words: "ratings", tone: "focus" as Tone, unit: "step" },
    { name: "kappa_has_error" as const, words: "has an error", tone: "plus" as Tone, unit: "trace" },
  ];
  const shown = pairs.slice(0, 4);
  return (
    <ChartFigure
      title="Cohen’s kappa, pair by pair"
      note={pairs.length > shown.length ? `the ${shown.length} pairs that share most` : "1: always the same; 0: chance"}
      table={{
        head: ["Pair", "Ratings", "Has an error"],
        rows: pairs.map((pair) => [
          pairName(pair),
          ...kinds.map(({ name, unit }) => estimateWords(pair.figures[name], unit)),
        ]),
      }}
    >
      <EstimateRows
        rows={shown.flatMap((pair) =>
          kinds.map(({ name, words, tone, unit }) => ({
            key: `${pairName(pair)} ${name}`,
            name: `${pairName(pair)}: ${words}`,
            ...pair.figures[name],
            words: estimateWords(pair.figures[name], unit),
            tone,
          })),
        )}
      />
    </ChartFigure>
  );
}

function Parts({ title, parts }: { title: string; parts: Agreement["by_subject"] }) {
  if (parts.length < 2) return null;
  const alpha = (part: Agreement["by_subject"][number]) =>
    part.figures.alpha.value === null ? whyNone(part.figures.alpha) : `alpha ${two(part.figures.alpha.value)}`;
  return (
    <ChartFigure
      title={`Same first error, ${title.toLowerCase()}`}
      note="95 % intervals"
      table={{
        head: ["", "Same first error", "Ratings", "Traces"],
        rows: parts.map((part) => [
          part.name,
          estimateWords(part.figures.exact, "pair"),
          estimateWords(part.figures.alpha, "step"),
          part.traces,
        ]),
      }}
    >
      <EstimateRows
        rows={parts.map((part) => ({
          key: part.name,
          name: part.name,
          ...part.figures.exact,
          words: `${estimateWords(part.figures.exact, "pair")}; ${alpha(part)}`,
          tone: "plus" as Tone,
        }))}
      />
    </ChartFigure>
  );
}
