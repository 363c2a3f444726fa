import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Round } from "@/api/projectTypes";
import { Disclosure } from "@/ui/Disclosure";
import { ClosingTraining } from "./ClosingTraining";
import { NextRound } from "./NextRound";
import { Reselect } from "./Reselect";
import { LabelingProgress, RoundFacts } from "./RoundFacts";
import { RoundNotice } from "./RoundNotice";
import { RoundReportView } from "./RoundReportView";
import { RoundTrust } from "./RoundTrust";
import { SelectionPreview } from "./SelectionPreview";
import { Stages } from "./Stages";

/** A round prepared by workers. What matters now comes first; what is finished stays below. */
export function StagedRound({ slug, round }: { slug: string; round: Round }) {
  const { status } = round;
  useFreshSelection(round);
  const labeled = status === "labeling" || status === "closed" || (status === "paused" && !round.with_workers);
  const seen = round.has_selection && status !== "cancelled";
  if (labeled) {
    return (
      <>
        <ClosingTraining slug={slug} round={round} />
        <RoundTrust slug={slug} round={round} />
        {status !== "closed" && <LabelingProgress round={round} />}
        <NextRound slug={slug} round={round} />
        <RoundReportView slug={slug} round={round} />
        <RoundFacts round={round} />
        <Disclosure title="What was chosen, and from what">
          <SelectionPreview slug={slug} round={round} />
        </Disclosure>
        <Disclosure title="The workers’ part">
          <Stages round={round} />
        </Disclosure>
      </>
    );
  }
  return (
    <>
      <RoundNotice round={round} />
      {!(seen && status === "ready") && <Stages round={round} />}
      {seen && (status === "ready" || status === "failed") && <Reselect slug={slug} round={round} />}
      {seen && <SelectionPreview slug={slug} round={round} />}
      {seen && status === "ready" && <Stages round={round} />}
      <RoundFacts round={round} />
    </>
  );
}

/** Fetch the selection again when workers have finished. */
function useFreshSelection(round: Round) {
  const client = useQueryClient();
  const before = useRef(round.status);
  useEffect(() => {
    if (before.current !== round.status) {
      void client.invalidateQueries({ queryKey: ["roundSelection", round.id] });
      void client.invalidateQueries({ queryKey: ["roundProgress", round.id] });
    }
    before.current = round.status;
  }, [client, round.id, round.status]);
}
