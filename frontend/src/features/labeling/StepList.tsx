import { useCallback, useMemo } from "react";
import type { CarriedRating, Label, Rating } from "@/api/types";
import type { DraftAction } from "@/protocol/draft";
import type { KeyChoices } from "@/protocol/keyMap";
import { errorStep } from "@/protocol/ratings";
import { type Cursor, ratingsTakenBack } from "@/protocol/realise";
import { Button, ButtonLink } from "@/ui/Button";
import { countOf, formatDateTime } from "@/ui/format";
import { formulasAcrossSteps } from "@/ui/math/acrossSteps";
import { codeSteps } from "@/ui/math/programs";
import { useNow } from "@/ui/useNow";
import { InlineSplit, InlineText } from "./InlineForms";
import { LeaseBanner } from "./LeaseBanner";
import type { LabelSession, SessionState } from "./labelSession";
import classes from "./layout.module.css";
import { MistakeCard } from "./MistakeCard"; // takes typing, so it must be loaded when its key is pressed
import { StepGroup } from "./StepGroup";
import type { StepRowProps } from "./StepRow";
import { FOLDED_FROM, StopRule } from "./StopRule";
import { type MarksBeside, useMarksBeside } from "./useMarksBeside";
import type { MistakeCardState } from "./useMistakeCard";
import { RunMap, RunMarksPanel, useRun } from "./useRun";
import type { useWorkbench } from "./useWorkbench";

const MANY = 120; // with more steps than this, those far from what is in sight are skipped in groups
const TOGETHER = 25;

type Desk = ReturnType<typeof useWorkbench>;
/** The part of the desk's state that the steps show and act on. */
export type StepDesk = Pick<
  Desk,
  "closed" | "cursor" | "hit" | "inline" | "laterOpen" | "raw" | "closeInline" | "finishRealising"
> & { bench: Pick<Desk["bench"], "dispatch" | "open" | "toggleLater"> };

interface StepListProps {
  label: Label;
  session: LabelSession;
  state: SessionState;
  desk: StepDesk;
  choices: KeyChoices;
  /** Whether times are shown. */
  clock: boolean;
  card: MistakeCardState | null;
  /** When the label that this one replaces was submitted. */
  revisionOf?: string | null;
}

/** The steps of the trace, below what the labeler should know first. */
export function StepList(props: StepListProps) {
  const { label, session, state, desk, choices, clock, card, revisionOf } = props;
  const { bench, closed, cursor, hit, inline, laterOpen, raw } = desk;
  const now = useNow(1_000);
  const { protocol, content, focus } = state.draft;
  const { steps } = label;
  const error = errorStep(protocol, content.ratings);
  const after = useMemo(() => new Set(closed), [closed]);
  const folded = closed.length > FOLDED_FROM && !laterOpen && (hit === null || !closed.includes(hit));
  const programs = useMemo(() => codeSteps(steps), [steps]);
  const withins = useMemo(() => formulasAcrossSteps(steps), [steps]);
  const active = session.activeTime(now).per_step;
  const takenBack = cursor ? ratingsTakenBack(state.draft, cursor) : [];

  const run = useRun(label);
  const carried = useMemo(() => carriedByStep(label, content), [label, content]);
  const beside = useMarksBeside(label);

  const { dispatch, open } = bench;
  const leaveCard = card?.row ? card.goTo : null;
  const onFocus = useCallback(
    (step: number) => {
      leaveCard?.(null);
      dispatch({ type: "focus", step });
    },
    [dispatch, leaveCard],
  );
  const onRate = useCallback((step: number, rating: Rating) => dispatch({ type: "rate", step, rating }), [dispatch]);
  const onComment = useCallback(() => open("comment"), [open]);
  const onSplitReport = useCallback(() => open("split_badly"), [open]);

  /** Return what is shown in a step's row under its text. For most steps it is nothing, so the row is not redrawn. */
  const under = (step: number, text: string) =>
    inline?.step !== step && step !== error ? null : (
      <>
        {inline?.step === step && <InlineForm desk={desk} text={text} state={state} />}
        {step === error && (
          <>
            <StopRule
              closed={closed}
              protocol={protocol}
              choices={choices}
              folded={folded}
              onToggle={bench.toggleLater}
            />
            {card && (
              <MistakeCard
                label={label}
                card={card}
                content={content}
                step={step}
                raw={raw}
                choices={choices}
                dispatch={session.dispatch}
              />
            )}
          </>
        )}
      </>
    );

  const row = (text: string, step: number): StepRowProps => ({
    step,
    stepCount: steps.length,
    text,
    body: run?.units[step],
    program: programs[step] ?? false,
    within: withins[step] ?? null,
    raw,
    rating: content.ratings[step] ?? null,
    focused: focus === step,
    rowInHand: step === error && card?.row != null,
    after: after.has(step),
    isError: step === error,
    noticedAt: step === error ? content.noticedAtStep : null,
    activeMs: clock && focus !== step ? Math.floor((active[step] ?? 0) / 1000) * 1000 : 0,
    marked: content.desk.lookAgain.includes(step),
    found: hit === step,
    comment: content.comments[step] ?? "",
    splitReport: content.reports.find((one) => one.kind === "split_badly" && one.step === step)?.text ?? null,
    carried: carried[step] ?? null,
    saysWhence: carried[step]?.label_id !== carried[step - 1]?.label_id,
    machine: beside?.steps[step] ?? null,
    pick: pickOf(step, cursor),
    takenBack: takenBack.includes(step),
    onFocus,
    onRate,
    onPick: desk.finishRealising,
    onComment,
    onSplitReport,
    children: under(step, text),
  });

  return (
    <section className={classes.steps} aria-label="Solution">
      <h2 className="eyebrow">
        {run ? "Run" : "Solution"} · {countOf(steps.length, "step")} · {protocol.words.heading}
      </h2>
      {revisionOf && (
        <div className={classes.banner}>
          <span>
            You are revising your label of {formatDateTime(revisionOf)}. It counts until you submit, and is kept
            afterwards.
          </span>
          <ButtonLink to={`/projects/${label.project.slug}/my-work/${label.id}`}>Leave it as it is</ButtonLink>
        </div>
      )}
      <Banners session={session} state={state} />
      {beside && <BesideBanner beside={beside} />}
      {run && <RunMap run={run} ratings={content.ratings} focus={focus} onGo={onFocus} />}
      {run && <div className="read">{run.before}</div>}
      {groupsOf(folded ? steps.slice(0, closed[0]) : steps).map((group, place) => (
        <StepGroup
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place in the trace
          key={place}
          className={steps.length > MANY ? `${classes.list} ${classes.group}` : classes.list}
          start={place * TOGETHER + 1}
          rows={group.map((text, at) => row(text, place * TOGETHER + at))}
        />
      ))}
      {run && <RunMarksPanel label={label} draft={state.draft} dispatch={session.dispatch} />}
    </section>
  );
}

/** Return the steps of a long run or trace in groups, otherwise all of them in one. */
function groupsOf(steps: readonly string[]): (readonly string[])[] {
  if (steps.length <= MANY) return [steps];
  const groups = Math.ceil(steps.length / TOGETHER);
  return Array.from({ length: groups }, (_, place) => steps.slice(place * TOGETHER, (place + 1) * TOGETHER));
}

/** For each step, return where its rating was carried over from, while it is still as it was filled in. */
function carriedByStep(label: Label, { carried }: SessionState["draft"]["content"]): (CarriedRating | null)[] {
  const standing = new Set(carried.filter((mark) => mark.completion === null).map((mark) => mark.step));
  return label.steps.map((_, step) =>
    standing.has(step) ? (label.carried.find((one) => one.completion === null && one.step === step) ?? null) : null,
  );
}

function pickOf(step: number, cursor: Cursor | null): "no" | "possible" | "chosen" {
  if (!cursor || step >= cursor.noticedAt) return "no";
  return step === cursor.candidate ? "chosen" : "possible";
}

interface InlineFormProps {
  desk: StepDesk;
  text: string;
  state: SessionState;
}

/** The form for a comment on a step, or for where to split it. It is under the step's text, which stays in sight. */
function InlineForm({ desk, text, state: { draft } }: InlineFormProps) {
  const { inline, bench, closeInline } = desk;
  if (!inline) return null;
  const { step } = inline;
  const kept = (...actions: DraftAction[]) => {
    for (const action of actions) bench.dispatch(action);
    closeInline();
  };
  if (inline.name === "comment") {
    return (
      <InlineText
        title={`Comment on step ${step + 1}`}
        field="Comment (researchers see it with the label)"
        initial={draft.content.comments[step] ?? ""}
        onType={(comment) => bench.dispatch({ type: "comment", step, text: comment })}
        onKeep={(comment) => kept({ type: "comment", step, text: comment })}
      />
    );
  }
  const kind = "split_badly";
  return (
    <InlineSplit
      text={text}
      report={draft.content.reports.find((one) => one.kind === kind && one.step === step)?.text ?? null}
      onReport={(report) => kept({ type: "report", report: { kind, step, text: report } })}
      onWithdraw={() => kept({ type: "withdrawReport", kind, step })}
      onCancel={closeInline}
    />
  );
}

const SURPLUS =
  "Your slot is gone: it was taken, you are paused, or the round was closed. Your work is kept. " +
  "You can still submit it as an extra label.";

interface BannersProps {
  session: LabelSession;
  state: SessionState;
}

function Banners({ session, state }: BannersProps) {
  const { content } = state.draft;
  return (
    <>
      {(content.finish === "give_up" || content.finish === "bad_problem") && (
        <div className={`${classes.banner} ${classes.warn}`}>
          <span>
            {content.finish === "give_up" ? "Giving up" : "Bad problem"}: {content.finishText}
          </span>
          <Button onClick={() => session.dispatch({ type: "finish", finish: null })}>Take it back</Button>
        </div>
      )}
      <LeaseBanner
        lease={state.lease}
        detail={state.leaseDetail}
        surplus={SURPLUS}
        lost="Your lease expired. Your work is kept; asking for the slot again…"
        onResume={() => void session.resume()}
      />
    </>
  );
}

/** In an assisted round: what the machine says about the whole trace. */
function BesideBanner({ beside }: { beside: MarksBeside }) {
  return (
    <div className={classes.banner} role="note">
      <span>{beside.above}</span>
      {beside.failed && <Button onClick={beside.again}>Try again</Button>}
    </div>
  );
}
