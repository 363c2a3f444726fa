import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { usePageChoices } from "@/api/preferences";
import type { Label } from "@/api/types";
import { useUnread } from "@/api/unread";
import { commandNamed } from "@/protocol/commands";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { BellLink } from "@/ui/BellLink";
import { ColorSchemeToggle } from "@/ui/ColorSchemeToggle";
import { formatCount, formatDuration } from "@/ui/format";
import { useNow } from "@/ui/useNow";
import classes from "./layout.module.css";
import { type Unsent, unsentIn } from "./ownProgress";
import { myProgressQuery, myQualityQuery } from "./queries";
import { isScreening } from "./screeningRound";

/** Whatever is on the desk, reduced to its clock. */
interface Clocked {
  activeTime: (now: number) => { total: number };
}

interface HeaderProps {
  label: Label;
  session: Clocked;
  choices: KeyChoices;
  /** Labels submitted here but not yet counted by the server. */
  waiting: Unsent;
  /** A submitted label is on the desk to be changed. It does not count again. */
  revising: boolean;
  onOpen: (panel: "guidelines" | "help") => void;
}

/** Where the labeler is, their progress and time today, with guidelines, keys and the way out. */
export function Header({ label, session, choices, waiting, revising, onOpen }: HeaderProps) {
  const progress = useQuery(myProgressQuery(label.project.slug, label.round.number)).data;
  const round = progress?.round;
  const chosen = usePageChoices();
  const key = (name: string) => showKey(keysOf(commandNamed(name), choices)[0] ?? "");
  const screening = isScreening(label); // the progress says so already
  const roundName = `round ${label.round.number}${label.round.name ? ` (${label.round.name})` : ""}`;
  return (
    <header className={classes.header}>
      <Link className={classes.brand} to="/projects" title="All projects">
        Stepmark
      </Link>
      <span
        className={`${classes.where} ${screening ? classes.wide : ""}`}
        title={screening ? label.project.name : `${label.project.name} · ${roundName}`}
      >
        {label.project.name}
        {!screening && <span className={classes.wide}> · {roundName}</span>}
      </span>
      {revising ? (
        <span className={classes.progress}>Revision</span>
      ) : screening ? (
        <ScreeningProgress slug={label.project.slug} waiting={waiting.rounds.length} />
      ) : (
        round?.number === label.round.number && (
          <Progress done={Math.min(round.total, round.done + unsentIn(waiting, round.number))} total={round.total} />
        )
      )}
      <span className={classes.right}>
        {progress && !screening && <Today done={progress.submitted_today + waiting.rounds.length} goal={chosen.goal} />}
        {chosen.clock && (
          <ActiveToday session={session} countedMs={progress ? progress.active_ms_today + waiting.activeMs : null} />
        )}
        <Link className={`${classes.headerButton} ${classes.wide}`} to={`/projects/${label.project.slug}/my-work`}>
          My work
        </Link>
        <button type="button" className={classes.headerButton} onClick={() => onOpen("guidelines")}>
          Guidelines <kbd>{key("guidelines")}</kbd>
        </button>
        <button type="button" className={`${classes.headerButton} ${classes.wide}`} onClick={() => onOpen("help")}>
          Keys <kbd>{key("help")}</kbd>
        </button>
        <Bell />
        <ColorSchemeToggle />
      </span>
    </header>
  );
}

/** Tells labelers news while they work: that they are paused, or that a comment was answered. */
function Bell() {
  return <BellLink calm unread={useUnread().data?.unread ?? 0} />;
}

/** The labeler's own labels today, not the round's count. With a goal, the progress towards it. */
function Today({ done, goal }: { done: number; goal: number }) {
  const words = goal > 0 ? `${formatCount(done)} of your ${formatCount(goal)}` : `${formatCount(done)} of yours`;
  return (
    <span
      className={`${classes.today} tabular`}
      data-reached={(goal > 0 && done >= goal) || undefined}
      title={goal > 0 ? "Your labels today, and your goal" : "Your labels today"}
    >
      {words} today
    </span>
  );
}

/** "Screening 7 of 30": counts the task on the desk, not those after it. */
function ScreeningProgress({ slug, waiting }: { slug: string; waiting: number }) {
  const { data } = useQuery(myQualityQuery(slug));
  const screening = data?.screening;
  if (!screening) return null;
  return (
    <span className={`${classes.progress} tabular`}>
      Screening {Math.min(screening.of, screening.done + waiting + 1)} of {screening.of}
    </span>
  );
}

/** The progress of the round that the label on the desk belongs to. */
function Progress({ done, total }: { done: number; total: number }) {
  const words = `${formatCount(done)} of ${formatCount(total)}`;
  return (
    <span className={`${classes.progress} tabular`}>
      <span className={`${classes.bar} ${classes.wide}`} role="img" aria-label={`${words} labels of this round`}>
        <i style={{ width: `${total > 0 ? (100 * done) / total : 0}%` }} />
      </span>
      {words}
    </span>
  );
}

/** The server's time for today plus the time running now: the same number that the project's admin will see. */
function ActiveToday({ session, countedMs }: { session: Clocked; countedMs: number | null }) {
  const now = useNow(1_000);
  if (countedMs === null) return null;
  const ms = countedMs + session.activeTime(now).total;
  return (
    <span className={`${classes.active} ${classes.wide} tabular`} title="Your active time in this project today">
      active {ms < 60_000 ? "under 1 min" : formatDuration(Math.floor(ms / 60_000) * 60_000)}
    </span>
  );
}
