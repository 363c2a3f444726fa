import { useCallback, useMemo } from "react";
import type { CarriedRating, Label, Rating } from "@/api/types";
import type { OpenPanel } from "@/protocol/commands";
import type { LabelingProtocol } from "@/protocol/interface";
import type { KeyChoices } from "@/protocol/keyMap";
import { errorStep, isRatable } from "@/protocol/ratings";
import { type Cursor, ratingsTakenBack } from "@/protocol/realise";
import { Button, ButtonLink } from "@/ui/Button";
import { formatDateTime } from "@/ui/format";
import { formulasAcrossSteps } from "@/ui/math/acrossSteps";
import { codeSteps } from "@/ui/math/segments";
import { useNow } from "@/ui/useNow";
import type { LabelSession, SessionState } from "./labelSession";
import classes from "./layout.module.css";
import { MistakeCard } from "./MistakeCard";
import { StepRow } from "./StepRow";
import type { MistakeCardState } from "./useMistakeCard";

interface StepListProps {
  label: Label;
  session: LabelSession;
  state: SessionState;
  raw: boolean;
  /** While the earlier wrong step is chosen. */
  cursor: Cursor | null;
  message: string;
  card: MistakeCardState | null;
  choices: KeyChoices;
  /** When the label was submitted that this one is to replace. */
  revisionOf?: string | null;
  onPick: (step: number) => void;
  onOpen: (panel: OpenPanel) => void;
}

/** The steps of the trace, with what the labeler should know above them. */
export function StepList(props: StepListProps) {
  const { label, session, state, raw, cursor, message, card, choices, revisionOf, onPick, onOpen } = props;
  const now = useNow(1_000);
  const { protocol, content, focus } = state.draft;
  const { steps } = label;
  const error = errorStep(protocol, content.ratings);
  const closed = steps.flatMap((_, step) => (isRatable(protocol, content.ratings, step) ? [] : [step]));
  const programs = useMemo(() => codeSteps(steps), [steps]);
  const withins = useMemo(() => formulasAcrossSteps(steps), [steps]);
  const active = session.activeTime(now).per_step;
  const takenBack = cursor ? ratingsTakenBack(state.draft, cursor) : [];

  const carried = useMemo(() => carriedByStep(label, content), [label, content]);

  const leaveCard = card?.row ? card.goTo : null;
  const onFocus = useCallback(
    (step: number) => {
      leaveCard?.(null);
      session.dispatch({ type: "focus", step });
    },
    [session, leaveCard],
  );
  const onRate = useCallback(
    (step: number, rating: Rating) => session.dispatch({ type: "rate", step, rating }),
    [session],
  );
  const onComment = useCallback(() => onOpen("comment"), [onOpen]);
  const onSplitReport = useCallback(() => onOpen("split_badly"), [onOpen]);

  return (
    <section className={classes.steps} aria-label="Solution">
      <h2 className="eyebrow">
        Solution · {steps.length} {steps.length === 1 ? "step" : "steps"} · {protocol.words.heading}
      </h2>
      {revisionOf && (
        <div className={classes.banner}>
          <span>
            A revision of your label of {formatDateTime(revisionOf)}. That one stands until you submit; it is kept
            beside this one.
          </span>
          <ButtonLink to={`/projects/${label.project.slug}/my-work/${label.id}`}>Leave it as it is</ButtonLink>
        </div>
      )}
      <Banners session={session} state={state} message={message} />
      <ol className={classes.list}>
        {steps.map((text, step) => (
          <StepRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the trace
            key={step}
            step={step}
            stepCount={steps.length}
            text={text}
            program={programs[step] ?? false}
            within={withins[step] ?? null}
            raw={raw}
            rating={content.ratings[step] ?? null}
            focused={focus === step}
            rowInHand={step === error && card?.row != null}
            after={closed.includes(step)}
            isError={step === error}
            noticedAt={step === error ? content.noticedAtStep : null}
            activeMs={Math.floor((active[step] ?? 0) / 1000) * 1000}
            comment={content.comments[step] ?? ""}
            splitReport={content.reports.find((one) => one.kind === "split_badly" && one.step === step)?.text ?? null}
            carried={carried[step] ?? null}
            saysWhence={carried[step]?.label_id !== carried[step - 1]?.label_id}
            pick={pickOf(step, cursor)}
            takenBack={takenBack.includes(step)}
            onFocus={onFocus}
            onRate={onRate}
            onPick={onPick}
            onComment={onComment}
            onSplitReport={onSplitReport}
          >
            {step === error && card && (
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
          </StepRow>
        ))}
      </ol>
      {closed.length > 0 && <p className={classes.stop}>{unlabelledWords(closed, protocol)}</p>}
    </section>
  );
}

/** For each step, where its rating was carried over from, as long as it stands as it was filled in. */
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

/** Which steps may not be rated, and why. */
function unlabelledWords(closed: number[], protocol: LabelingProtocol): string {
  const first = (closed[0] ?? 0) + 1;
  const last = (closed.at(-1) ?? 0) + 1;
  const joined = first + 1 === last ? "and" : "to";
  const which = first === last ? `Step ${last} stays` : `Steps ${first} ${joined} ${last} stay`;
  return `${which} unlabelled: ${protocol.words.closed}.`;
}

interface BannersProps {
  session: LabelSession;
  state: SessionState;
  message: string;
}

function Banners({ session, state, message }: BannersProps) {
  const { content } = state.draft;
  return (
    <>
      {message !== "" && (
        <div className={`${classes.banner} ${classes.inSight} ${classes.warn}`} role="alert">
          <span>{message}</span>
        </div>
      )}
      {(content.finish === "give_up" || content.finish === "bad_problem") && (
        <div className={`${classes.banner} ${classes.warn}`}>
          <span>
            {content.finish === "give_up" ? "Giving up" : "Bad problem"}: {content.finishText}
          </span>
          <Button onClick={() => session.dispatch({ type: "finish", finish: null })}>Take it back</Button>
        </div>
      )}
      <LeaseBanner session={session} state={state} />
    </>
  );
}

function LeaseBanner({ session, state }: { session: LabelSession; state: SessionState }) {
  if (state.lease === "held") return null;
  if (state.lease === "surplus") {
    return (
      <div className={classes.banner}>
        <span>
          The lease ran out and somebody else has taken the slot. Your work is kept and may still be submitted: it is
          then an extra label for this task.
        </span>
      </div>
    );
  }
  return (
    <div className={`${classes.banner} ${classes.warn}`} role="alert">
      <span>
        {state.lease === "lost"
          ? "Your lease on this task has run out. All your work is kept; asking for the slot again…"
          : state.leaseDetail}
      </span>
      {state.lease === "lost" && <Button onClick={() => void session.resume()}>Try again</Button>}
    </div>
  );
}
