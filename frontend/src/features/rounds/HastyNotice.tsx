import { useState } from "react";
import { useHastyLabels } from "@/api/haste";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FormButtons } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { useLeaveOutHasty } from "./stagedQueries";

interface HastyNoticeProps {
  slug: string;
  round: number;
}

/** Labels that cannot have been read, and how to continue without them. Nothing if there are none, or none any more. */
export function HastyNotice({ slug, round }: HastyNoticeProps) {
  const [asking, setAsking] = useState(false);
  const leaveOut = useLeaveOutHasty(slug, round);
  const found = useHastyLabels(slug).data;
  const { hasty = 0, judged: of = 0 } = found?.rounds.find((one) => one.round === round) ?? {};
  if (!found || hasty === 0) return null;
  const about = `round=${round}&hasty=exclude`;
  return (
    <Notice
      tone="warn"
      title={`${countOf(hasty, "label")} of ${formatCount(of)} took less than ${found.floor_ms / 1_000} s a step`}
    >
      <p style={{ margin: "0 0 10px" }}>
        Nobody can read that fast, so these labels are hasty. Look at them before you trust this round&rsquo;s figures.
      </p>
      <FormButtons>
        <Button onClick={() => setAsking(true)}>Leave them out…</Button>
        <ButtonLink to={`/projects/${slug}/exports/new?${about}`}>Export without them</ButtonLink>
        <ButtonLink to={`/projects/${slug}/prms/train?${about}`}>Train without them</ButtonLink>
      </FormButtons>
      <ConfirmDialog
        opened={asking}
        title="Leave out this round’s hasty labels?"
        confirm="Leave them out"
        onConfirm={() => leaveOut.mutateAsync()}
        onClose={() => setAsking(false)}
      >
        Exports, trainings and all figures about what labels say will exclude them. Figures about the work done still
        count them. Hasty answers to hidden gold are left out too. A closed round keeps its report. You can see these
        labels and undo this under Labels.
      </ConfirmDialog>
    </Notice>
  );
}
