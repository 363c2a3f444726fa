import { ButtonLink } from "@/ui/Button";
import { FormButtons } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { Notice } from "@/ui/Notice";

interface HastyNoticeProps {
  slug: string;
  round: number;
  hasty: number;
  of: number;
  floorMs: number;
}

/** Labels that nobody can have read for, and how to go on without them; nothing where there are none. */
export function HastyNotice({ slug, round, hasty, of, floorMs }: HastyNoticeProps) {
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
        <ButtonLink to={`/projects/${slug}/exports/new?${about}`}>Export without them</ButtonLink>
        <ButtonLink to={`/projects/${slug}/prms/train?${about}`}>Train without them</ButtonLink>
      </FormButtons>
    </Notice>
  );
}
