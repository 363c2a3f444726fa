import { Link } from "react-router";
import type { PromotionNews } from "@/api/trainingTypes";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { FIGURES } from "@/ui/figureWords";
import { Notice } from "@/ui/Notice";
import { SkeletonLines } from "@/ui/states";
import { thresholdWords } from "./comparison";
import classes from "./prms.module.css";

import { usePromote, usePromotionNews } from "./queries";

interface PromoteDialogProps {
  slug: string;
  prm: { id: number; name: string } | null;
  opened: boolean;
  /** What the page already knows: the PRM does not beat the baseline. */
  learnedNothing?: boolean;
  onClose: () => void;
}

/** Asks for confirmation before a PRM becomes the selector, with the worst that is known about it first. */
export function PromoteDialog({ slug, prm, opened, learnedNothing = false, onClose }: PromoteDialogProps) {
  const promote = usePromote(slug);
  const news = usePromotionNews(slug, opened && prm ? prm.id : null);
  return (
    <ConfirmDialog
      opened={opened}
      title="Make it the selector?"
      confirm="Promote"
      onConfirm={async () => prm && (await promote.mutateAsync(prm.id))}
      onClose={onClose}
    >
      <div className={classes.news}>
        {news.isLoading && <SkeletonLines lines={2} label="Checking for reasons not to promote it" />}
        {news.isError && <Notice tone="warn" title="Reasons not to promote it could not be loaded" />}
        {news.data?.map((one) => (
          <News key={`${one.kind} ${one.evaluation}`} slug={slug} news={one} />
        ))}
        {learnedNothing && (
          <Notice tone="warn" title="It does not beat the baseline">
            On its own test problems, position and length alone predict as well.
          </Notice>
        )}
        <p className={classes.plainWords}>
          New rounds will offer {prm?.name} first. Existing rounds keep their PRM. You can roll this back at any time.
        </p>
      </div>
    </ConfirmDialog>
  );
}

function News({ slug, news }: { slug: string; news: PromotionNews }) {
  const named = (names: string[]) => names.map((name) => FIGURES[name]?.name ?? name).join("; ");
  const compare = `/projects/${slug}/evaluations/compare?left=${news.evaluation}&right=${news.other}`;
  if (news.kind === "never_wrong") {
    return (
      <Notice tone="bad" title={`It never says “wrong” on ${news.evaluation_set}`}>
        {thresholdWords(news.threshold ?? 0.5, news.advised_threshold)}
      </Notice>
    );
  }
  if (news.kind === "worse") {
    return (
      <Notice tone="warn" title={`The selector is ahead of it on ${news.evaluation_set}`}>
        Worse: {named(news.worse)}. {news.better.length > 0 && `Better: ${named(news.better)}. `}
        <Link to={compare}>See them side by side</Link>
      </Notice>
    );
  }
  if (news.kind === "baseline_not_beaten") {
    return (
      <Notice tone="warn" title={`It does not beat the baseline on ${news.evaluation_set}`}>
        As far as that set can show, position and length alone predict as well.
      </Notice>
    );
  }
  if (news.kind === "origin_unknown") {
    return (
      <Notice tone="warn" title="It is unknown which traces it learned from">
        Rounds cannot leave these traces out. If it learned from the set it was evaluated on, its figures look better
        than they should.
      </Notice>
    );
  }
  return news.kind === "not_evaluated" ? (
    <Notice tone="info" title="It has never been evaluated">
      Nobody knows how good it is. <Link to={`/projects/${slug}/evaluations`}>Evaluate it</Link> first.
    </Notice>
  ) : (
    <Notice tone="info" title="It has never been compared with the selector">
      No set has a finished evaluation of both. <Link to={`/projects/${slug}/evaluations`}>Evaluate the selector</Link>{" "}
      on the same set first.
    </Notice>
  );
}
