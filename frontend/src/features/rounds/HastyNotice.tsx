import { useState } from "react";
import { Button, ButtonLink } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FormButtons } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { useLeaveOutHasty } from "./stagedQueries";

interface HastyNoticeProps {
  slug: string;
  round: number;
  hasty: number;
  of: number;
  floorMs: number;
}

/** Labels that nobody can have read for, and how to go on without them; nothing where there are none. */
export function HastyNotice({ slug, round, hasty, of, floorMs }: HastyNoticeProps) {
  const [asking, setAsking] = useState(false);
  const leaveOut = useLeaveOutHasty(slug, round);
  if (hasty === 0) return null;
  const about = `round=${round}&hasty=exclude`;
  return (
    <Notice
      tone="warn"
      title={`${countOf(hasty, "label")} of ${formatCount(of)} took less than ${floorMs / 1_000} s a step`}
    >
      <p style={{ margin: "0 0 10px" }}>
        Nobody reads as fast: they are hasty. Look at them before you trust this round&rsquo;s figures.
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
        They count in no figure, export or training from then on, and stay where they are: Labels shows them, and one
        press there takes it back. The report of a closed round stays as it was; how far to trust the round does not.
      </ConfirmDialog>
    </Notice>
  );
}
