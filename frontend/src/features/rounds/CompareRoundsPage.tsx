import { useParams } from "react-router";
import type { ReportedRound } from "@/api/roundTypes";
import { StartLink } from "@/ui/ActiveProject";
import { ButtonLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { IntervalRows, intervalWords } from "@/ui/charts/IntervalRows";
import { ShareBar } from "@/ui/charts/ShareBar";
import { SelectField } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import classes from "./CompareRounds.module.css";
import { baseOf, chosenRounds, columnNames, MOST_COMPARED, toggled } from "./compareChoice";
import { RoundDifferences } from "./RoundDifferences";
import { ratingShares } from "./RoundReportView";
import { MEASURES, yieldRows } from "./reportWords";
import { roundName } from "./roundStatus";
import { useRoundReports } from "./stagedQueries";

/** Up to four rounds side by side, measured against one of them. The address says which ones. */
export function CompareRoundsPage() {
  const { slug = "" } = useParams();
  const reports = useRoundReports(slug);
  const { filters, setFilter } = useUrlFilters(["rounds", "base"] as const);
  const all = reports.data ?? [];
  const chosen = chosenRounds(all, filters.rounds);
  const base = baseOf(chosen, filters.base);
  const names = columnNames(chosen.map(({ round }) => round));
  // In both tables, the round that the others are measured against comes first, then the others from the oldest on.
  const others = chosen.filter((one) => one !== base).reverse();
  return (
    <>
      <PageHeading
        title="Rounds side by side"
        actions={<ButtonLink to={`/projects/${slug}/rounds`}>Rounds</ButtonLink>}
      />
      {reports.isPending && <SkeletonLines lines={8} />}
      {reports.isError && !reports.data && (
        <ErrorState inline error={reports.error} retry={() => void reports.refetch()} />
      )}
      {reports.data && all.length < 2 ? (
        <TooFew slug={slug} reports={all.length} />
      ) : (
        reports.data && (
          <>
            <fieldset className={classes.choice}>
              <legend>Compare up to {MOST_COMPARED}</legend>
              {all.map(({ round }) => {
                const checked = chosen.some((one) => one.round.id === round.id);
                return (
                  <label key={round.id}>
                    <input
                      type="checkbox"
                      checked={checked}
                      disabled={!checked && chosen.length >= MOST_COMPARED}
                      onChange={() => setFilter("rounds", toggled(chosen, round.id))}
                    />
                    {roundName(round)}
                  </label>
                );
              })}
            </fieldset>
            {base && chosen.length > 1 && (
              <>
                {chosen.length > 2 && (
                  <div className={classes.base}>
                    <SelectField
                      label="Differences to"
                      choices={chosen.map(({ round }, place) => ({
                        value: String(round.id),
                        label: names[place] ?? "",
                      }))}
                      value={String(base.round.id)}
                      onChange={(id) => setFilter("base", id)}
                    />
                  </div>
                )}
                <RoundDifferences slug={slug} base={base} others={others} />
              </>
            )}
            {base && <Comparison chosen={[base, ...others]} />}
            {chosen.length === 0 && <EmptyState inline title="Choose at least two rounds" />}
          </>
        )
      )}
    </>
  );
}

function TooFew({ slug, reports }: { slug: string; reports: number }) {
  return (
    <EmptyState
      inline
      title={reports === 0 ? "No round has a report yet" : "Only one round has a report"}
      actions={
        <StartLink kind="primary" to={`/projects/${slug}/rounds/new?kind=convincing`}>
          Start a round
        </StartLink>
      }
    >
      <p>
        A round has a report as soon as labelers can work on it. With two or more reports, you can compare them here.
      </p>
    </EmptyState>
  );
}

function Comparison({ chosen }: { chosen: ReportedRound[] }) {
  const names = columnNames(chosen.map(({ round }) => round));
  return (
    <>
      <div className={classes.charts} data-rounds={chosen.length}>
        {chosen.map(({ round, report }, place) => (
          <ChartFigure
            key={round.id}
            title={names[place] ?? roundName(round)}
            note={round.prm?.name ?? "chosen at random"}
            table={{
              head: ["Wrong answers chosen as", "Error found in"],
              rows: yieldRows(report).map((row) => [row.name, intervalWords(row)]),
            }}
            empty={yieldRows(report).length === 0 ? "No wrong answer was labeled." : undefined}
          >
            <p className={classes.chartName}>Yield, with 95 % intervals</p>
            <IntervalRows rows={yieldRows(report)} />
            <p className={classes.chartName}>Step ratings</p>
            <ShareBar shares={ratingShares(report)} />
          </ChartFigure>
        ))}
      </div>
      <Panel title={`${countOf(chosen.length, "round")} in numbers`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard */}
        <section className={classes.scroll} tabIndex={0} aria-label="Rounds in numbers">
          <table className={classes.table}>
            <caption className="visually-hidden">Measures by round</caption>
            <thead>
              <tr>
                <th scope="col">Measure</th>
                {chosen.map(({ round }, place) => (
                  <th key={round.id} scope="col" title={roundName(round)}>
                    {names[place]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {MEASURES.map((measure) => (
                <tr key={measure.key}>
                  <th scope="row">
                    {measure.name}
                    <small>{measure.means}</small>
                  </th>
                  {chosen.map(({ round, report }) => (
                    <td key={round.id}>
                      {measure.value(report)}
                      {measure.note?.(report) && <small>{measure.note(report)}</small>}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </Panel>
    </>
  );
}
