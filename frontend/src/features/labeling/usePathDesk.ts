import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { usePageChoices } from "@/api/preferences";
import type { Label } from "@/api/types";
import type { PathBench, PathDialog, PathDock, PathPanel } from "@/protocol/choose_step/commands";
import { lacks } from "@/protocol/choose_step/path";
import { isSettled, rowInHand, type StepAction, saidOf } from "@/protocol/choose_step/stepDraft";
import { explainLack } from "@/protocol/choose_step/words";
import { withLookAgain } from "@/protocol/desk";
import { isTyping } from "@/protocol/keys";
import { scrollFormulas } from "@/ui/math/fitFormulas";
import { copiesOf, copyWords, writeClipboard } from "./copying";
import type { PathState } from "./keptPath";
import type { PathSession } from "./pathSession";
import { showReference } from "./queries";
import { focusSoon } from "./stepsInSight";
import { placeName } from "./symbolTrace";
import { useSymbolTrace } from "./useSymbolTrace";

/** The part of the pane to move by, so that a line or two of what was seen last stays. */
const PAGE = 0.86;

const DOCKS: readonly string[] = ["guidelines", "help", "comfort", "scratch", "history"] satisfies PathDock[];

interface PathDeskParts {
  label: Label;
  session: PathSession;
  state: PathState;
  canUndoSubmission: boolean;
  onSubmit: () => void;
  onUndoSubmission: () => void;
}

/** What is open on the desk of a path, and everything its commands do with it. */
export function usePathDesk({ label, session, state, canUndoSubmission, onSubmit, onUndoSubmission }: PathDeskParts) {
  const { path, draft, content } = state;
  const [dialog, setDialog] = useState<PathDialog | null>(null);
  const [dock, setDock] = useState<PathDock | null>(null);
  const [calculating, setCalculating] = useState(false);
  /** The index of the step whose comment is open. */
  const [commenting, setCommenting] = useState<number | null>(null);
  const [raw, setRaw] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const [reference, setReference] = useState<string | null>(null);
  const [asked, write, stopWriting, stayWriting] = useWriting(state);
  const pane = useRef<HTMLElement>(null);

  const length = path?.steps.length ?? 0;
  const completions = path?.open?.completions ?? [];
  const row = path ? rowInHand(draft, length, completions) : 0;
  const dispatch = useDwell(session, row, path?.prefix_hash ?? "");
  const tracing = useSymbolTrace(
    useCallback((where) => session.dispatch({ type: "focus", row: where - length }), [session, length]),
    `${path?.prefix_hash}/${completions.length}`,
  );
  const following = tracing.trace !== null;
  const traceNext = useCallback(() => {
    flushSync(() => setUnfolded(true)); // the first place may be in a folded step
    tracing.next(length + row).then(
      (found) => found || session.say("There is no symbol or number to trace here."),
      () => session.say("Tracing did not load. Try again when you are online."),
    );
  }, [tracing.next, session, length, row]);

  const focusRow = useCallback(() => focusSoon(() => rowOf(pane.current)), []);
  /** Leaves a text field at once, because the next key is already a command. */
  const focusRowNow = useCallback(() => {
    rowOf(pane.current)?.focus({ preventScroll: true });
    focusRow();
  }, [focusRow]);
  const backToRow = useCallback(() => {
    session.lookAt("row");
    focusRow();
  }, [session, focusRow]);
  const closeDialog = useCallback(() => {
    if (dialog === "pause") session.start();
    setDialog(null);
    backToRow();
  }, [dialog, session, backToRow]);
  const closeDock = useCallback(() => {
    setDock(null);
    backToRow();
  }, [backToRow]);
  const closeLine = useCallback(() => {
    setCalculating(false);
    backToRow();
  }, [backToRow]);
  const leaveEditor = useCallback(() => {
    focusRowNow();
    stopWriting();
  }, [stopWriting, focusRowNow]);
  const focusAsSent = useFocusAsSent(state, focusRowNow, write);
  const noteComment = useCallback(
    (place: number, text: string) => {
      const { [place]: _old, ...others } = session.getState().content.comments;
      session.note({ comments: text.trim() === "" ? others : { ...others, [place]: text } });
    },
    [session],
  );
  const keepComment = useCallback(
    (place: number, text: string) => {
      noteComment(place, text);
      setCommenting(null);
      backToRow();
    },
    [noteComment, backToRow],
  );

  const openPanel = useCallback(
    (name: PathPanel) => {
      if (DOCKS.includes(name)) {
        if (name === dock) closeDock();
        else setDock(name as PathDock);
      } else if (name === "comment") setCommenting(length + Math.min(0, row));
      else if (name === "calculator") setCalculating(true);
      else {
        setDialog(name as PathDialog);
        session.lookAt("problem");
        if (name === "pause") session.stop();
      }
    },
    [session, dock, closeDock, length, row],
  );

  /** The marks that were listed when the path was about to be submitted. The next Enter submits. */
  const listed = useRef("");
  const submit = useCallback(() => {
    const now = session.getState();
    if (!now.path || now.content.sending) return;
    if (now.path.ended === "final_answer") {
      const marks = now.content.desk.lookAgain.filter((place) => place < (now.path?.steps.length ?? 0));
      const [first] = marks;
      if (first === undefined || listed.current === marks.join()) return onSubmit();
      listed.current = marks.join();
      session.dispatch({ type: "focus", row: first - now.path.steps.length });
      const names = marks.map((place) => place + 1).join(", ");
      return session.say(`Marked to look at again: ${names}. Enter still submits.`);
    }
    if (!now.path.open) return session.say("The path has ended without an answer: give up, or take a step back.");
    const [lack] = lacks(now.path, now.path.open, now.draft.content);
    if (!lack) {
      focusAsSent();
      return session.submitStep();
    }
    const at = now.path.open.completions.findIndex(({ number }) => number === lack.number);
    if (at >= 0) {
      session.dispatch({ type: "focus", row: at });
      focusRow(); // also leaves the text, where rating keys would be typed
    } else if (lack.code === "human_needed") write();
    session.say(explainLack(lack, now.path.open)); // last, because another row in hand ends the message before
  }, [session, onSubmit, focusRow, focusAsSent, write]);

  const copyTex = useCopies(session, length, row);
  const lookAgain = useCallback(() => {
    const { desk } = session.getState().content;
    session.note({ desk: withLookAgain(desk, length + Math.min(0, row)) });
  }, [session, length, row]);
  const bench: PathBench | null = useMemo(
    () =>
      path && {
        path,
        draft,
        row,
        sending: content.sending !== null,
        referenceAvailable: label.reference_solution_available,
        canUndoSubmission,
        dispatch,
        showRest: session.showRest,
        askMore: session.askMore,
        write,
        unfold: () => setUnfolded((old) => !old),
        moveByPage: (direction) => moveByPage(pane.current, direction),
        scrollWide: (direction) => scrollWide(pane.current, direction),
        toggleRaw: () => setRaw((old) => !old),
        tracing: { on: following, next: traceNext, go: tracing.go, end: tracing.end },
        lookAgain,
        copyTex,
        showReference: () => {
          showReference(label.id)
            .then(({ solution }) => setReference(solution))
            .catch((error: Error) => session.say(error.message));
        },
        openPanel,
        submit,
        takeBack: () => (path.can_undo || content.sending ? void session.takeBack() : onUndoSubmission()),
      },
    [
      path,
      draft,
      row,
      content.sending,
      label,
      canUndoSubmission,
      session,
      write,
      submit,
      onUndoSubmission,
      dispatch,
      openPanel,
      lookAgain,
      copyTex,
      following,
      traceNext,
      tracing.go,
      tracing.end,
    ],
  );

  return {
    ...{ bench, pane, row, dialog, dock, calculating, commenting, raw, unfolded, reference, asked, tracing, traceNext },
    ...{
      write,
      stayWriting,
      closeDialog,
      closeDock,
      closeLine,
      leaveEditor,
      noteComment,
      keepComment,
      backToRow,
      setDialog,
      setUnfolded,
      dispatch,
    },
  };
}

/** Refuse to rate a completion that was in hand for less time than the labeler demands of themselves. */
function useDwell(session: PathSession, row: number, prefix: string): (action: StepAction) => void {
  const { dwell_seconds: dwell } = usePageChoices();
  const since = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts again for another row or step
  useEffect(() => {
    since.current = Date.now();
  }, [row, prefix]);
  return useCallback(
    (action: StepAction) => {
      const fresh = action.type === "rate" && !isSettled(saidOf(session.getState().draft.content, action.number));
      if (fresh && dwell > 0 && (action.row !== row || Date.now() - since.current < dwell * 1_000)) {
        session.say(`Completion ${action.row + 1}: read each for at least ${dwell} s.`);
      } else session.dispatch(action);
    },
    [session, dwell, row],
  );
}

/** Copy the row in hand as it was written; on further presses, its formulas one by one. */
function useCopies(session: PathSession, length: number, row: number): () => void {
  const copied = useRef({ text: "", place: 0 });
  return useCallback(() => {
    const { path } = session.getState();
    const text = row < 0 ? path?.steps[length + row]?.text : path?.open?.completions[row]?.text;
    if (text === undefined) return;
    const copies = copiesOf(text);
    const place = copied.current.text === text ? (copied.current.place + 1) % copies.length : 0;
    copied.current = { text, place };
    void writeClipboard(copies[place] ?? "").then((done) =>
      done
        ? session.announce(copyWords(placeName(length + row, length), place, copies.length))
        : session.say("This browser blocks writing to the clipboard."),
    );
  }, [session, length, row]);
}

/** Return the row in hand or, without one, the section that contains the rows. */
function rowOf(pane: HTMLElement | null): HTMLElement | null {
  const row = '[aria-current="step"], section[aria-labelledby="open-step"]:not(:has([aria-current="step"]))';
  return pane?.querySelector<HTMLElement>(row) ?? null;
}

const isInOwnStep = () => document.activeElement?.closest("[data-own-step]") != null;

/**
 * Where the keyboard focus goes while a step is being sent. A labeler who wrote the step stays in the text, where no
 * key rates anything. If the step is accepted, the focus moves to the rows. If it is refused, or the path has moved
 * elsewhere, it stays in the text, which now needs to be changed.
 */
function useFocusAsSent(state: PathState, focusRow: () => void, write: () => void): () => void {
  const { path, draft, content, refusal } = state;
  const sentFrom = useRef<string | null>(null);
  const prefix = path?.prefix_hash ?? null;
  const { text } = draft.content;
  useEffect(() => {
    if (content.sending !== null || sentFrom.current === null) return;
    const taken = sentFrom.current !== prefix && text === "";
    sentFrom.current = null;
    if (taken && (isInOwnStep() || document.activeElement === document.body)) focusRow();
  }, [content.sending, prefix, text, focusRow]);
  useEffect(() => {
    if (refusal !== "" && !isTyping()) write();
  }, [refusal, write]);
  return useCallback(() => {
    sentFrom.current = prefix;
    if (!isInOwnStep()) focusRow();
  }, [prefix, focusRow]);
}

/** How often the labeler asked to write; starts again at 0 with each step. */
function useWriting({ path }: PathState): [asked: number, write: () => void, stop: () => void, stay: () => void] {
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step begins with its completions
  useEffect(() => setAsked(0), [path?.prefix_hash]);
  const write = useCallback(() => setAsked((old) => old + 1), []);
  const stop = useCallback(() => setAsked(0), []);
  const stay = useCallback(() => setAsked((old) => Math.max(1, old)), []);
  return [asked, write, stop, stay];
}

function moveByPage(pane: HTMLElement | null, direction: 1 | -1): void {
  if (!pane) return;
  const scrolls = pane.scrollHeight > pane.clientHeight + 1;
  const height = scrolls ? pane.clientHeight : window.innerHeight;
  (scrolls ? pane : window).scrollBy({ top: direction * PAGE * height });
}

/** Scroll the wide formulas of the row in hand or, if it has none, those of the problem. */
function scrollWide(pane: HTMLElement | null, direction: 1 | -1): void {
  const row = pane?.querySelector<HTMLElement>('[aria-current="step"]');
  if (row && scrollFormulas(row, direction)) return;
  const problem = document.querySelector("aside");
  if (problem) scrollFormulas(problem, direction);
}
