import { Button } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { MathText } from "@/ui/math/MathText";
import { Notice } from "@/ui/Notice";
import { errorWords } from "./reviewWords";
import type { SeenRuling } from "./useSeenRuling";

/**
 * Tells a reviewer that a ruling was made or withdrawn while this page was open. Their own waits until they read it.
 */
export function OtherRuling({ stands, onRead }: Pick<SeenRuling, "stands"> & { onRead: () => void }) {
  const actions = <Button onClick={onRead}>Go on with mine</Button>;
  if (stands === null) {
    return (
      <Notice tone="warn" title="The ruling has been withdrawn" actions={actions}>
        The task waits again. Your text is kept.
      </Notice>
    );
  }
  const { labeler, submitted_at, verdict, note, mistake } = stands;
  return (
    <Notice tone="warn" title={`${labeler.display_name} settled it meanwhile`} actions={actions}>
      <p>
        {submitted_at && `${formatDateTime(submitted_at)}: `}
        {errorWords(verdict)}. Your text is kept and has not been sent.
      </p>
      {mistake?.explanation && (
        <p>
          The mistake: <MathText text={mistake.explanation} />
        </p>
      )}
      {note && <p>Why: {note}</p>}
    </Notice>
  );
}
