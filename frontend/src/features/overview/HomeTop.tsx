import { Link } from "react-router";
import type { Forecast, Home, QualityFigure, WaitingThing } from "@/api/homeTypes";
import { ButtonLink } from "@/ui/Button";
import { type RuledShare, RuledShares } from "@/ui/charts/RuledShares";
import { costSaid, doneSaid, formatDay, goldOnTop, hoursSaid } from "@/ui/forecastWords";
import { countOf, formatCount, formatDuration } from "@/ui/format";
import { formatMoney } from "@/ui/money";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { dayWords, FIGURES, qualityVerdict, rulesWords, waitsWords } from "./homeWords";
import classes from "./overview.module.css";

/** What needs a person, each with a link to where it is done. */
export function WhatWaits({ slug, waits }: { slug: string; waits: WaitingThing[] }) {
  return (
    <Panel title="What needs you" note={waits.length > 0 ? countOf(waits.length, "decision") : undefined}>
      {waits.length === 0 && <p className={classes.quiet}>Nothing is waiting.</p>}
      <ul className={classes.waits}>
        {waits.map((thing) => {
          const words = waitsWords(thing);
          return (
            <li key={`${thing.kind}-${thing.id}-${thing.number}`}>
              <Link to={`/projects/${slug}/${words.to}`}>{words.title}</Link>
              <small>{words.section}</small>
              <p>{words.says}</p>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

/** The work that open rounds still want: how long, until when, at what cost, and what that is based on. */
export function OpenWork({ slug, forecast }: { slug: string; forecast: Forecast }) {
  const [hours, done, cost] = [hoursSaid(forecast), doneSaid(forecast), costSaid(forecast)];
  return (
    <Panel
      title="Open rounds"
      note={forecast.labels === 0 ? "No labels wanted." : `${countOf(forecast.labels, "label")} to go`}
      actions={<ButtonLink to={`/projects/${slug}/rounds`}>Rounds</ButtonLink>}
    >
      {forecast.labels > 0 && (
        <Figures>
          <Figure name="Labeling left" value={hours.value} note={hours.note} />
          <Figure name="Done" value={done.value} note={done.note} />
          <Figure name="Still to pay" value={cost.value} note={cost.note} />
        </Figures>
      )}
      <ByDay forecast={forecast} />
      <p className={classes.basis}>
        {basisWords(forecast)}
        {forecast.labels > 0 && goldOnTop(forecast.gold_on_top)}
      </p>
    </Panel>
  );
}

function basisWords(forecast: Forecast): string {
  const { minutes_a_label: mean, days, hourly_rate, currency } = forecast;
  if (mean.value === null) return "Stepmark can estimate the work left and its end once there are labels.";
  const made = forecast.by_day.slice(0, -1).reduce((sum, day) => sum + day.labels, 0);
  const parts = [
    `${formatDuration(mean.value * 60_000)} a label over the newest ${formatCount(mean.n)}`,
    days.n > 0 && `${(made / days.n).toFixed(1)} labels a day over ${countOf(days.n, "day")}`,
    hourly_rate && `${formatMoney(Number(hourly_rate), currency)} an hour`,
  ];
  return `Ranges are 95 % prediction intervals. Based on ${parts.filter(Boolean).join(", ")}. Hasty labels are not counted in any rate.`;
}

/** Columns by day, from which the rate is computed. Hasty labels are hatched on top; below is the legend. */
function ByDay({ forecast }: { forecast: Forecast }) {
  const top = Math.max(1, ...forecast.by_day.map((day) => day.labels + day.hasty));
  if (forecast.by_day.length === 0) return null;
  return (
    <>
      <ol className={classes.days} aria-label="Labels by day">
        {forecast.by_day.map((day, place) => {
          const last = place === forecast.by_day.length - 1;
          return (
            <li key={day.day} title={dayWords(day)}>
              <span className="visually-hidden">{dayWords(day)}</span>
              <span aria-hidden>
                {day.hasty > 0 && <i data-hasty style={{ height: `${(day.hasty / top) * 100}%` }} />}
                <i data-today={last || undefined} style={{ height: `${(day.labels / top) * 100}%` }} />
              </span>
              <small aria-hidden>{last ? "today" : formatDay(day.day).slice(0, 2)}</small>
            </li>
          );
        })}
      </ol>
      <p className={classes.looks}>
        Labels by day. <i aria-hidden data-today /> Pale: today, not in any rate yet.
        {forecast.by_day.some((day) => day.hasty > 0) && (
          <>
            {" "}
            <i aria-hidden data-hasty /> Hatched: hasty ones, not in any rate.
          </>
        )}
      </p>
    </>
  );
}

/** Gold, agreement, haste and audits: for each a word, what it counts, and the share with its interval and its rule. */
export function LabelQuality({ slug, quality }: { slug: string; quality: Home["quality"] }) {
  return (
    <Panel title="How good are the labels?" note={qualityVerdict(quality)}>
      <RuledShares rows={quality.map((figure) => ruled(slug, figure))} />
      <p className={classes.basis}>
        Bars are 95 % intervals. The upright tick is the rule: {rulesWords(quality)}. Good means that the whole interval
        meets it.
      </p>
    </Panel>
  );
}

function ruled(slug: string, { name, share, word, limit }: QualityFigure): RuledShare {
  const words = FIGURES[name];
  const { value, n } = share;
  const says = value === null ? words.none : `${formatCount(Math.round(value * n))} of ${formatCount(n)} ${words.of}`;
  const { unit, to, link } = words;
  return { key: name, name: words.name, word, says, share, unit, limit, to: `/projects/${slug}/${to}`, link };
}
