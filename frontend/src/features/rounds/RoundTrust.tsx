import { Link } from "react-router";
import type { Round } from "@/api/projectTypes";
import { AsOf } from "@/ui/AsOf";
import { RuledShares } from "@/ui/charts/RuledShares";
import { countOf } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { headline, PATH_TRUST, pathHeadline, trustRows, trustWords } from "./roundFigures";
import classes from "./rounds.module.css";
import { useRoundFigures } from "./stagedQueries";
import { type Worth, worthVerdict, worthWords } from "./worthWords";

/** The top of a round's page, whatever its kind: the answer in a sentence, and how far to trust it. */
export function RoundTrust({ slug, round }: { slug: string; round: Round }) {
  const figures = useRoundFigures(round.id);
  if (figures.isError && !figures.data)
    return <ErrorState inline error={figures.error} retry={() => void figures.refetch()} />;
  if (!figures.data) return <SkeletonLines lines={4} label="Counting" />;
  const paths = round.config.source === "problems";
  const trust = figures.data.trust.filter(({ name }) => !paths || (PATH_TRUST as string[]).includes(name));
  return (
    <>
      <p className={classes.headline}>{paths ? pathHeadline(figures.data) : headline(figures.data)}</p>
      <Panel
        title="How far to trust it"
        note={trustWords({ trust })}
        actions={<AsOf at={figures.data.as_of} came={figures.dataUpdatedAt} />}
      >
        <RuledShares rows={trustRows(slug, round.id, figures.data, paths ? PATH_TRUST : undefined)} />
      </Panel>
      {!paths && figures.data.worth && <ChoiceWorth slug={slug} worth={figures.data.worth} />}
    </>
  );
}

/** How many labels of randomly drawn traces would have taught as much as the ones the round chose. */
function ChoiceWorth({ slug, worth }: { slug: string; worth: Worth }) {
  return (
    <Panel title="What choosing was worth" note={worthVerdict(worth)}>
      <p>{worthWords(worth)}</p>
      <p className={classes.aside}>
        {worth.run === null ? (
          <Link to={`/projects/${slug}/prms/train`}>Train a head on it</Link>
        ) : (
          <>
            Measured by <Link to={`/projects/${slug}/prms/runs/${worth.run}`}>training {worth.run}</Link>
            {worth.random_labels !== null &&
              `, against ${countOf(worth.random_labels, "label")} of randomly drawn traces`}
            .
          </>
        )}
      </p>
    </Panel>
  );
}
