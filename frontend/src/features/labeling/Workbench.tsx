import { useCallback, useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from "react";
import { useSavePreferences, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { missingAfterError, ratedExplanations, ratingOf } from "@/protocol/afterError";
import { commands, type OpenPanel, type Workbench as WorkbenchContext } from "@/protocol/commands";
import { finishReason } from "@/protocol/draft";
import { explain, openContradictions } from "@/protocol/findings";
import type { Finding } from "@/protocol/interface";
import { type Command, commandPressed, type KeyChoices, NO_CHOICES } from "@/protocol/keyMap";
import { isCommandPress, isFinishingPress, keyOf } from "@/protocol/keys";
import { type Card, progressCommands } from "@/protocol/mistakeCommands";
import { errorStep } from "@/protocol/ratings";
import { type Cursor, pressWhileRealising, startRealising } from "@/protocol/realise";
import { Dialog } from "@/ui/Dialog";
import { ActionBar, MoreCommands } from "./ActionBar";
import { ConflictDialog } from "./ConflictDialog";
import { Header } from "./Header";
import type { LabelSession } from "./labelSession";
import classes from "./layout.module.css";
import type { Unsent } from "./ownProgress";
import { Panels } from "./Panels";
import { ProblemPane } from "./ProblemPane";
import { showReference } from "./queries";
import { showRating } from "./RatingButtons";
import { RealiseBar } from "./RealiseBar";
import type { SaveIndicatorProps } from "./SaveIndicator";
import { StepList } from "./StepList";
import { focusStep, isForTheProblem, scrollWide, stepAPageAway } from "./stepsInSight";
import { type MistakeCardState, useMistakeCard } from "./useMistakeCard";
import { TraceLine } from "./TraceLine";
import { useSymbolTrace } from "./useSymbolTrace";

export interface WorkbenchProps {
  label: Label;
  session: LabelSession;
  submitWords: string;
  /** When the label was submitted that this one is to replace. */
  revisionOf?: string | null;
  canUndoSubmission: boolean;
  waiting: Unsent;
  outbox: Pick<SaveIndicatorProps, "queued" | "unreachable" | "durable">;
  onSubmit: () => void;
  onUndoSubmission: () => void;
}

/** One label on the desk. Everything it can do is in the command list; keys and buttons only pick from it. */
export function Workbench(props: WorkbenchProps) {
  const { label, session, onSubmit, onUndoSubmission, canUndoSubmission } = props;
  const state = useSyncExternalStore(session.subscribe, session.getState);
  const { draft } = state;
  const user = useUser();
  const savePreferences = useSavePreferences();
  const choices: KeyChoices = user.preferences.keys ?? NO_CHOICES;

  const [panel, setPanel] = useState<OpenPanel | null>(null);
  const [raw, setRaw] = useState(false);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [message, setMessage] = useState("");
  const [asked, setAsked] = useState<Finding | null>(null);
  const [reference, setReference] = useState<string | null>(null);
  const card = useMistakeCard(label, draft);

  const tracing = useSymbolTrace(useCallback((step) => session.dispatch({ type: "focus", step }), [session]));
  const following = tracing.trace !== null;
  const traceNext = useCallback(() => {
    if (!tracing.next(session.getState().draft.focus)) setMessage("There is no symbol and no number to trace here.");
  }, [tracing.next, session]);

  useEffect(() => {
    session.start();
    return () => session.stop();
  }, [session]);

  // On a phone the page scrolls as a whole, and the problem is read first; work that was begun goes on at its step.
  useEffect(() => {
    if (!session.hasWork()) window.scrollTo(0, 0);
  }, [session]);

  const closePanel = useCallback(() => {
    setPanel(null);
    setAsked(null);
    session.lookAt(session.getState().draft.focus);
    if (card?.row) card.goTo(card.row);
    else focusStep(session.getState().draft.focus);
  }, [session, card]);

  const trySubmit = useCallback(() => {
    const { protocol, content } = session.getState().draft;
    const finish = finishReason(protocol, content);
    const error = finish === "found_error" ? errorStep(protocol, content.ratings) : -1;
    const [lacking] = [
      ...protocol.missing(content.ratings, finish, content.finishKind ?? "", content.finishText),
      ...missingAfterError(
        label.after_error.asked,
        error,
        content.mistake,
        ratedExplanations(error, content.suggestions),
      ),
    ];
    if (lacking) {
      setMessage(explain(lacking));
      if (lacking.step !== undefined) {
        session.dispatch({ type: "focus", step: lacking.step });
        focusStep(lacking.step);
      } else if (lacking.code !== "no_error_marked") setPanel(finish === "give_up" ? "give_up" : "bad_problem");
      return;
    }
    const { ratings, confirmations } = content;
    const [contradiction] = openContradictions(protocol, ratings, finish, label.outcome, confirmations);
    if (contradiction) {
      setAsked(contradiction);
      setPanel("confirm");
      return;
    }
    setMessage("");
    onSubmit();
  }, [session, label, onSubmit]);

  const openPanel = useCallback(
    (name: OpenPanel) => {
      const { focus } = session.getState().draft;
      setPanel(name);
      session.lookAt(name === "comment" || name === "split_badly" ? focus : null);
    },
    [session],
  );

  const bench: WorkbenchContext = useMemo(
    () => ({
      draft,
      referenceAvailable: label.reference_solution_available,
      earlierLabels: label.earlier_labels,
      canUndoSubmission,
      card: card && draft.focus === errorStep(draft.protocol, draft.content.ratings) ? atDesk(card) : null,
      dispatch: (action) => {
        setMessage("");
        session.dispatch(action);
      },
      open: openPanel,
      realise: () => setCursor(startRealising(session.getState().draft.focus)),
      moveByPage: (direction) => {
        const step = stepAPageAway(session.getState().draft.focus, direction);
        if (step !== null) session.dispatch({ type: "focus", step });
      },
      scrollWide: (direction) => scrollWide(session.getState().draft.focus, direction),
      toggleRaw: () => setRaw((old) => !old),
      tracing: { on: following, next: traceNext, go: tracing.go, end: tracing.end },
      showReference: () => {
        showReference(label.id)
          .then(({ solution }) => setReference(solution))
          .catch((error: Error) => setMessage(error.message));
      },
      submit: trySubmit,
      undoSubmission: onUndoSubmission,
    }),
    [
      draft,
      label,
      card,
      canUndoSubmission,
      session,
      openPanel,
      trySubmit,
      onUndoSubmission,
      traceNext,
      following,
      tracing.go,
      tracing.end,
    ],
  );

  const finishRealising = useCallback(
    (badStep: number | null) => {
      if (cursor && badStep !== null) session.dispatch({ type: "realise", badStep, noticedAt: cursor.noticedAt });
      setCursor(null);
      focusStep(session.getState().draft.focus);
    },
    [cursor, session],
  );

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (panel !== null || isForTheProblem(event)) return;
    if (isFinishingPress(event) && !cursor) return bench.submit();
    if (cursor && isCommandPress(event)) {
      event.preventDefault();
      const realised = pressWhileRealising(cursor, keyOf(event), event.repeat, choices);
      if (realised === "taken") finishRealising(cursor.candidate);
      else if (realised === "left") finishRealising(null);
      else setCursor(realised);
      return;
    }
    if (event.key === "Escape" && following && isCommandPress(event)) return tracing.end();
    const command = commandPressed(bench.card ? AT_MISTAKE : commands, event, choices);
    const current = { ...bench, draft: session.getState().draft };
    if (command?.enabled(current)) command.run(current);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  const run = (command: Command<WorkbenchContext>) => command.enabled(bench) && command.run(bench);
  const save: SaveIndicatorProps = {
    state: state.save,
    detail: state.saveDetail,
    hasWork: session.hasWork(),
    ...props.outbox,
  };
  return (
    <div className={classes.page}>
      <Header
        label={label}
        session={session}
        choices={choices}
        waiting={props.waiting}
        revising={Boolean(props.revisionOf)}
        onOpen={openPanel}
      />
      <main className={classes.work}>
        <ProblemPane
          label={label}
          content={draft.content}
          raw={raw}
          reference={reference}
          choices={choices}
          onRun={run}
          onEnter={() => session.lookAt(null)}
          onLeave={() => session.lookAt(session.getState().draft.focus)}
        >
          <TraceLine tracing={tracing} choices={choices} onNext={traceNext} />
        </ProblemPane>
        <StepList
          label={label}
          session={session}
          state={state}
          raw={raw}
          cursor={cursor}
          message={message}
          card={card}
          choices={choices}
          revisionOf={props.revisionOf ?? null}
          onPick={finishRealising}
          onOpen={openPanel}
        />
      </main>
      {cursor ? (
        <RealiseBar draft={draft} cursor={cursor} choices={choices} onCursor={setCursor} onEnd={finishRealising} />
      ) : (
        <ActionBar
          bench={bench}
          choices={choices}
          save={save}
          submitWords={props.submitWords}
          onMore={() => setPanel("more")}
        />
      )}
      <Announcement draft={draft} card={card} />
      {panel === "more" && (
        <Dialog title="More" onClose={closePanel}>
          <MoreCommands slug={label.project.slug} bench={bench} choices={choices} onDone={() => setPanel(null)} />
        </Dialog>
      )}
      {panel !== null && panel !== "more" && (
        <Panels
          panel={panel}
          asked={asked}
          label={label}
          draft={draft}
          dispatch={session.dispatch}
          choices={choices}
          onChoices={(keys) => savePreferences.mutate({ ...user.preferences, keys: { ...keys } })}
          onClose={closePanel}
          onFinished={() => {
            closePanel();
            trySubmit();
          }}
        />
      )}
      {state.conflict && <ConflictDialog conflict={state.conflict} onSettle={(keep) => session.settle(keep)} />}
    </div>
  );
}

const AT_MISTAKE = [...progressCommands, ...commands];

function atDesk({ rows, row, goTo, setPicking }: MistakeCardState): Card {
  const correctStep = () => document.getElementById("mistake-corrected")?.focus();
  return { rows, row, goTo, chooseKind: () => setPicking(true), correctStep };
}

/** What a screen reader hears after each key. */
function Announcement({ draft, card }: { draft: WorkbenchContext["draft"]; card: MistakeCardState | null }) {
  const { ratings } = draft.content;
  if (card?.row) {
    const { rating, flagged } = ratingOf(card.row, draft.content);
    const place = card.rows.indexOf(card.row) + 1;
    const said = rating === null ? "not rated" : `rated ${showRating(rating)}`;
    return (
      <div className="visually-hidden" role="status">
        Candidate {place} of {card.rows.length}, {said}
        {flagged && ", unsure"}.
      </div>
    );
  }
  const rated = ratings.filter((rating) => rating !== null).length;
  const error = errorStep(draft.protocol, ratings);
  const words =
    error >= 0
      ? `Step ${error + 1} is the first error. ${rated} steps rated.`
      : `${rated} of ${ratings.length} steps rated. Step ${draft.focus + 1} in focus.`;
  return (
    <div className="visually-hidden" role="status">
      {words}
    </div>
  );
}
