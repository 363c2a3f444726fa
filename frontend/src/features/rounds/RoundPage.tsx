import { useParams } from "react-router";
import type { Round } from "@/api/projectTypes";
import { PageHeading } from "@/ui/PageShell";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { ClosingTraining } from "./ClosingTraining";
import { MachineReport } from "./MachineReport";
import { PathFigures } from "./PathFigures";
import { useRound } from "./queries";
import { RoundActions } from "./RoundActions";
import { LabelingProgress, RoundFacts } from "./RoundFacts";
import { RoundNotice } from "./RoundNotice";
import { RoundReportView } from "./RoundReportView";
import { RoundTrust } from "./RoundTrust";
import { RoundStatusMark, roundName } from "./roundStatus";
import { StagedRound } from "./StagedRound";
import { Stages } from "./Stages";

export function RoundPage() {
  const { slug = "", roundId } = useParams();
  const round = useRound(Number(roundId));
  return (
    <>
      <PageHeading
        title={round.data ? roundName(round.data) : "Round"}
        actions={round.data && <RoundActions slug={slug} round={round.data} />}
      >
        {round.data && <RoundStatusMark round={round.data} />}
      </PageHeading>
      {round.isPending && <SkeletonLines lines={8} />}
      {round.isError && !round.data && <ErrorState inline error={round.error} retry={() => void round.refetch()} />}
      {round.data &&
        (round.data.staged ? (
          <StagedRound slug={slug} round={round.data} />
        ) : (
          <PlainRound slug={slug} round={round.data} />
        ))}
    </>
  );
}

function PlainRound({ slug, round }: { slug: string; round: Round }) {
  if (round.opened_at === null && !round.imported) {
    return (
      <>
        <RoundNotice round={round} />
        <Stages round={round} />
        <RoundFacts round={round} />
      </>
    );
  }
  return (
    <>
      <ClosingTraining slug={slug} round={round} />
      <RoundTrust slug={slug} round={round} />
      <LabelingProgress round={round} />
      <RoundReportView slug={slug} round={round} />
      {round.machine && <MachineReport round={round} />}
      {round.config.source === "problems" && <PathFigures round={round} />}
      <RoundFacts round={round} />
    </>
  );
}
