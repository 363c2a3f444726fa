import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { api, FIGURES_TIMEOUT_MS, queryString } from "@/api/client";
import type { FailureFigure, FailureSection, Failures } from "@/api/failureTypes";
import { AsOf } from "@/ui/AsOf";
import { DownloadLink } from "@/ui/Button";
import { ChartFigure } from "@/ui/charts/ChartFigure";
import { EstimateRows } from "@/ui/charts/EstimateRows";
import { Disclosure } from "@/ui/Disclosure";
import { SelectField } from "@/ui/Form";
import { countOf } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import classes from "./failures.module.css";
import { figureName, figureWords, SECTIONS } from "./failureWords";

function path(slug: string, scorer: string, ending = "") {
  return `/api/projects/${slug}/failures${ending}${scorer ? queryString({ scorer }) : ""}`;
}

/** The failures of one selector that the literature warns of: each measured, or why it cannot be. */
export function FailuresPage() {
  const { slug = "" } = useParams();
  const { filters, setFilter } = useUrlFilters(["scorer"] as const);
  const failures = useQuery({
    queryKey: ["failures", slug, filters.scorer],
    queryFn: ({ signal }) => api.get<Failures>(path(slug, filters.scorer), { signal, timeoutMs: FIGURES_TIMEOUT_MS }),
    placeholderData: keepPreviousData,
  });
  const found = failures.data;
  return (
    <>
      <PageHeading
        title="Known failures"
        actions={
          found && (
            <>
              <AsOf at={found.as_of} came={failures.dataUpdatedAt} />
              <DownloadLink href={path(slug, filters.scorer, ".csv")}>Download as CSV</DownloadLink>
            </>
          )
        }
      />
      {failures.isPending && <SkeletonLines lines={10} label="Computing the figures" />}
      {failures.isError && !found && <ErrorState inline error={failures.error} retry={() => void failures.refetch()} />}
      {found && <Chosen found={found} pick={(scorer) => setFilter("scorer", scorer)} />}
      {found?.sections.map((section) => (
        <Section key={section.name} slug={slug} section={section} />
      ))}
    </>
  );
}

function Chosen({ found, pick }: { found: Failures; pick: (scorer: string) => void }) {
  if (found.selector === null) {
    return (
      <Notice tone="info" title="No selector yet">
        This project has no PRM and no imported scores to choose by. Figures that need neither are still measured.
      </Notice>
    );
  }
  const choices = found.choices.map((one) => ({ value: String(one.id), label: one.name }));
  return (
    <div className={classes.chosen}>
      <SelectField label="Scorer" value={String(found.selector.id)} choices={choices} onChange={pick} />
    </div>
  );
}

/** Units that do not fit on an axis up to 1. */
const UNDRAWN: readonly string[] = ["log", "seconds"];

function Section({ slug, section }: { slug: string; section: FailureSection }) {
  const words = SECTIONS[section.name];
  const known = section.figures.filter((one) => one.value !== null);
  const lacking = section.figures.filter((one) => one.value === null);
  const drawn = known.filter((one) => !UNDRAWN.includes(one.unit));
  return (
    <Panel title={words.title} note={words.asks}>
      {drawn.length > 0 && (
        <ChartFigure
          title={`${words.title}: ${countOf(known.length, "figure")}`}
          note="95 % intervals over problems; for gold, over its items."
          table={{ head: ["Figure", "Value"], rows: known.map((one) => [figureName(one), figureWords(one)]) }}
        >
          <EstimateRows rows={drawn.map(row)} />
        </ChartFigure>
      )}
      {known
        .filter((one) => UNDRAWN.includes(one.unit))
        .map((one) => (
          <p key={one.name} className={classes.behind}>
            {figureName(one)}: {figureWords(one)}
          </p>
        ))}
      <Behind slug={slug} figures={known} />
      {lacking.length > 0 &&
        (known.length > 0 ? (
          <Lacking figures={lacking} />
        ) : (
          <Disclosure title={`Nothing here can be measured yet: ${countOf(lacking.length, "figure")}`}>
            <Lacking figures={lacking} />
          </Disclosure>
        ))}
      <p className={classes.behind}>{words.cannot}</p>
    </Panel>
  );
}

function row(figure: FailureFigure) {
  const { value, low, high } = figure;
  return {
    key: `${figure.name} ${figure.of}`,
    name: figureName(figure),
    value,
    low,
    high,
    words: figureWords(figure),
    tone: "focus" as const,
  };
}

/** Traces to look at. The page of each shows steps, people's labels and scores. */
function Behind({ slug, figures }: { slug: string; figures: FailureFigure[] }) {
  return figures
    .filter((one) => one.traces.length > 0)
    .map((one) => (
      <p key={`${one.name} ${one.of}`} className={classes.behind}>
        Behind “{figureName(one)}”:{" "}
        {one.traces.map((trace, place) => (
          <span key={trace}>
            {place > 0 && ", "}
            <Link to={`/projects/${slug}/traces/${trace}`}>trace {trace}</Link>
          </span>
        ))}
      </p>
    ));
}

function Lacking({ figures }: { figures: FailureFigure[] }) {
  return (
    <ul className={classes.lacking}>
      {figures.map((one) => (
        <li key={`${one.name} ${one.of}`}>
          {figureName(one)}: {figureWords(one)}.<small>Needed: {one.needs}</small>
        </li>
      ))}
    </ul>
  );
}
