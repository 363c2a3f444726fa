import { useParams } from "react-router";
import { useBadges, useForecast } from "@/api/forecast";
import type { Home } from "@/api/homeTypes";
import { useProject } from "@/api/projects";
import type { Overview } from "@/api/projectTypes";
import { StartLink } from "@/ui/ActiveProject";
import { ShareBar } from "@/ui/charts/ShareBar";
import { countOf, formatClock, formatCount, formatDuration, formatPercent } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { FirstPrm } from "./FirstPrm";
import { LabelQuality, OpenWork, WhatWaits } from "./HomeTop";
import { homeTitle } from "./homeWords";
import { LearningBlock } from "./LearningBlock";
import { ErrorPositions, FinishMix, LabelMix, LabelsPerDay, OutcomeMix } from "./OverviewCharts";
import { LabelersTable, RoundsTable } from "./OverviewTables";
import classes from "./overview.module.css";
import { useHome, useOverview } from "./queries";
import { Selector } from "./Selector";
import { TimeAndCost } from "./TimeAndCost";

export function OverviewPage() {
  const { slug = "" } = useParams();
  const overview = useOverview(slug);
  const project = useProject(slug);
  const home = useHome(slug);
  const waiting = useBadges(slug, true);
  const forecast = useForecast(slug);
  return (
    <>
      <PageHeading title={homeTitle(forecast.data, waiting.data?.waits)}>
        {overview.data && (
          <span className={classes.fresh}>
            {overview.isRefetchError ? "not refreshed since" : "as of"} {formatClock(overview.data.as_of)}
          </span>
        )}
      </PageHeading>
      {home.isError && !home.data && <ErrorState inline error={home.error} retry={() => void home.refetch()} />}
      {waiting.isError && !waiting.data && (
        <ErrorState inline error={waiting.error} retry={() => void waiting.refetch()} />
      )}
      {waiting.data && (
        <div className={classes.top}>
          <WhatWaits slug={slug} waits={waiting.data.waits} />
          {forecast.data && <OpenWork slug={slug} forecast={forecast.data} />}
        </div>
      )}
      {home.data && overview.data && overview.data.progress.submitted > 0 && (
        <LabelQuality slug={slug} quality={home.data.quality} />
      )}
      {overview.isPending && <SkeletonLines lines={12} />}
      {overview.isError && !overview.data && (
        <ErrorState inline error={overview.error} retry={() => void overview.refetch()} />
      )}
      {overview.data && (
        <Body
          slug={slug}
          overview={overview.data}
          traces={project.data?.counts.traces ?? null}
          learning={home.data?.learning ?? null}
        />
      )}
    </>
  );
}

interface BodyProps {
  slug: string;
  overview: Overview;
  traces: number | null;
  learning: Home["learning"];
}

function Body({ slug, overview, traces, learning }: BodyProps) {
  const started = overview.rounds.length > 0 || overview.progress.submitted > 0;
  const imported = overview.labelers.reduce((sum, one) => sum + (one.kind === "imported" ? one.labels : 0), 0);
  const lead = imported > 0 && !learning && <FirstPrm slug={slug} labels={imported} />;
  if (!started) {
    return (
      <>
        {lead}
        <NothingYet slug={slug} traces={traces} />
      </>
    );
  }
  return (
    <>
      {lead}
      <div className={classes.time}>
        <Progress overview={overview} />
      </div>
      <div className={classes.time}>
        <Selector slug={slug} />
      </div>
      <div className={classes.learning}>
        <LearningBlock slug={slug} learning={learning} />
      </div>
      <div className={classes.charts}>
        <LabelMix overview={overview} />
        <FinishMix overview={overview} />
        <ErrorPositions overview={overview} />
        <LabelsPerDay overview={overview} />
        <OutcomeMix overview={overview} />
      </div>
      <div className={classes.time}>
        <TimeAndCost slug={slug} />
      </div>
      <Panel bare title="Labelers">
        <LabelersTable slug={slug} overview={overview} />
      </Panel>
      <Panel bare title="Rounds">
        <RoundsTable slug={slug} overview={overview} />
      </Panel>
    </>
  );
}

function NothingYet({ slug, traces }: { slug: string; traces: number | null }) {
  if (traces === 0) {
    return (
      <EmptyState
        inline
        title="Nothing here yet"
        actions={
          <StartLink kind="primary" to={`/projects/${slug}/imports`}>
            Import traces
          </StartLink>
        }
      >
        <p>Import traces, open a round and invite labelers. Progress and charts appear here with the first label.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      inline
      title="No round is open"
      actions={
        <StartLink kind="primary" to={`/projects/${slug}/rounds/new`}>
          Open a round
        </StartLink>
      }
    >
      <p>The project has traces. Open a round so that labelers can claim them.</p>
    </EmptyState>
  );
}

function Progress({ overview }: { overview: Overview }) {
  const { tasks, slots, submitted, open, surplus } = overview.progress;
  const { problems, labels } = overview.missing_figures;
  return (
    <Panel>
      <Figures>
        <Figure
          name="Labels submitted"
          value={formatCount(submitted)}
          note={slots > 0 ? `of ${formatCount(slots)} wanted, ${formatPercent(submitted, slots)}` : undefined}
        />
        <Figure name="Held by labelers" value={formatCount(open)} note="open or fetched ahead" />
        <Figure name="Tasks" value={formatCount(tasks)} />
        <Figure
          name="Median active time"
          value={overview.median_active_ms === null ? "–" : formatDuration(overview.median_active_ms)}
          note="per label"
        />
        {(problems > 0 || labels > 0) && (
          <Figure
            name="Problems with a figure"
            value={formatCount(problems)}
            note={`which labelers do not see; ${countOf(labels, "label")} ${labels === 1 ? "says" : "say"} one is missing`}
          />
        )}
        {surplus > 0 && <Figure name="Surplus labels" value={formatCount(surplus)} note="kept, not counted" />}
      </Figures>
      <div className={classes.progress}>
        <ShareBar
          legend={false}
          shares={[
            { name: "submitted", count: submitted, tone: "plus" },
            { name: "held by labelers", count: open, tone: "focus" },
            { name: "waiting", count: Math.max(0, slots - submitted - open), tone: "line" },
          ]}
        />
      </div>
    </Panel>
  );
}
