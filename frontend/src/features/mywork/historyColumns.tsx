import type { Label, LabelStatus, MyLabel } from "@/api/types";
import { Button, ButtonLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { activeWords, formatDateTime } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { FINISH_WORDS } from "@/ui/trace/words";
import classes from "./mywork.module.css";

const STATUS: Record<LabelStatus, [StatusTone, string]> = {
  open: ["busy", "being labeled"],
  prefetched: ["quiet", "up next"],
  submitted: ["good", "submitted"],
  superseded: ["quiet", "older version"],
  ruling: ["good", "settled it"],
  expired: ["held", "lease ended"],
  released: ["held", "released"],
};

/** Return what you can do with a label now, or null if nothing. */
export function nextAction(
  label: Pick<MyLabel, "status" | "can_revise_until">,
  now: number,
): "Revise" | "Continue" | null {
  if (label.status === "open") return "Continue";
  if (label.status === "expired" || label.status === "released") return "Continue";
  const until = label.can_revise_until;
  return label.status === "submitted" && until !== null && Date.parse(until) > now ? "Revise" : null;
}

/**
 * Return why a submitted label cannot be revised: time is over, or the server names no time for it (its page says why).
 */
export function unrevisable(label: Pick<MyLabel, "status" | "can_revise_until">, now: number): string {
  if (label.status !== "submitted" || nextAction(label, now) !== null) return "";
  return label.can_revise_until === null ? "cannot be revised" : "time to revise is over";
}

function resultOf(label: MyLabel): string {
  if (label.finish_reason === "") return "–";
  const words = FINISH_WORDS[label.finish_reason] ?? label.finish_reason;
  return label.verdict === null || label.verdict < 0 ? words : `${words} in step ${label.verdict + 1}`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** "until 21:24", "until 21:24 tomorrow", "until 3 Dec, 21:24". */
export function untilWords(until: string, now: number): string {
  const end = new Date(until);
  const days = Math.round((new Date(until).setHours(0, 0, 0, 0) - new Date(now).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days > 1) return `until ${day.format(end)}, ${clock.format(end)}`;
  return `until ${clock.format(end)}${days === 1 ? " tomorrow" : ""}`;
}

/** Return until when a label can be revised. Empty if it was not submitted: you continue those instead. */
export function revisionFacts(
  label: Pick<Label, "status" | "can_revise_until" | "finished_at">,
  now: number,
): [string, string][] {
  if (!label.finished_at) return [];
  const until = nextAction(label, now) === "Revise" ? label.can_revise_until : null;
  return [["Can be revised", until ? untilWords(until, now) : "no longer"]];
}

/** `onReveal` shows what machines say about a label's trace. Offered if one of them said something that may be seen. */
export function historyColumns(slug: string, onReveal: (label: MyLabel) => void): TableColumn<MyLabel>[] {
  return [
    {
      name: "Problem",
      main: true,
      width: "30%",
      cell: (label) => (
        <RowLink to={`/projects/${slug}/my-work/${label.id}`}>
          <ProblemExcerpt text={label.problem_text} />
        </RowLink>
      ),
    },
    {
      name: "State",
      width: "130px",
      cell: (label) => {
        const [tone, words] = STATUS[label.status];
        return <StatusMark tone={tone}>{label.surplus ? `${words}, extra` : words}</StatusMark>;
      },
    },
    { name: "Result", width: "160px", cell: resultOf },
    { name: "Rated", align: "right", width: "70px", cell: (label) => label.rated_steps },
    {
      name: "Active",
      align: "right",
      width: "96px",
      cell: (label) => (
        <>
          {activeWords(label.active_ms)}
          {label.hasty && <div className={classes.hastyMark}>hasty</div>}
        </>
      ),
    },
    { name: "Submitted", width: "100px", cell: (label) => <RelativeTime at={label.submitted_at} none="–" /> },
    {
      name: "Change",
      quiet: true,
      width: "104px", // at least as wide as its widest button
      cell: (label) => {
        const action = nextAction(label, Date.now());
        const until = label.can_revise_until;
        const reason = unrevisable(label, Date.now());
        if (!label.can_reveal && action === null && !label.can_compare && !reason) return null;
        return (
          <div className={classes.changes}>
            {label.can_compare && <ButtonLink to={`/projects/${slug}/my-work/${label.id}/compare`}>Compare</ButtonLink>}
            {label.can_reveal && <Button onClick={() => onReveal(label)}>The model’s view</Button>}
            {action !== null && <ButtonLink to={`/projects/${slug}/label/${label.id}`}>{action}</ButtonLink>}
            {reason && <div className={classes.deadline}>{reason}</div>}
            {action === "Revise" && until && (
              <div className={classes.deadline} title={formatDateTime(until)}>
                {untilWords(until, Date.now())}
              </div>
            )}
          </div>
        );
      },
    },
  ];
}
