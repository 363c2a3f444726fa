import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { usePageChoices } from "@/api/preferences";
import type { Label } from "@/api/types";
import { missingAfterError, ratedExplanations } from "@/protocol/afterError";
import type { DockName, InlineName, LineName, OpenPanel, PanelName, Workbench } from "@/protocol/commands";
import { type Draft, type DraftAction, finishReason } from "@/protocol/draft";
import { explain, openContradictions } from "@/protocol/findings";
import type { Finding } from "@/protocol/interface";
import type { AboutMistake } from "@/protocol/mistakeCommands";
import { errorStep, isRatable } from "@/protocol/ratings";
import { type Cursor, startRealising } from "@/protocol/realise";
import { marksMissing } from "@/protocol/runMarks";
import type { News } from "@/ui/BottomLine";
import { fetchedOnce } from "@/ui/partOfPage";
import { writeOn } from "@/ui/writeOn";
import { copiesOf, copyWords, writeClipboard } from "./copying";
import { tooSoon } from "./dwell";
import type { LabelSession } from "./labelSession";
import { showReference } from "./queries";
import { highlight } from "./searching";
import {
  bringIntoSight,
  focusRunMarks,
  focusStep,
  rowOf,
  scrollWide,
  showLastScreen,
  stepAPageAway,
} from "./stepsInSight";
import { useChanges } from "./useChanges";
import { type MistakeCardState, useMistakeCard } from "./useMistakeCard";
import { useSymbolTrace } from "./useSymbolTrace";

const DOCKS: readonly string[] = ["guidelines", "earlier", "help", "comfort", "scratch"] satisfies DockName[];
const INLINE: readonly string[] = ["comment", "split_badly"] satisfies InlineName[];
const LINES: readonly string[] = ["search", "jump", "calculator"] satisfies LineName[];

const fetchFolds = fetchedOnce(async () => (await import("./unfolding")).toggleFolds);

const CHANGES_MARKED = "In each step you visit, new parts are marked; in the one before it, removed parts.";

interface WorkbenchParts {
  label: Label;
  session: LabelSession;
  draft: Draft;
  canUndoSubmission: boolean;
  onSubmit: () => void;
  onUndoSubmission: () => void;
}

/** What is open on the desk, and everything the commands do with it. */
export function useWorkbench({ label, session, draft, canUndoSubmission, onSubmit, onUndoSubmission }: WorkbenchParts) {
  const [dialog, setDialog] = useState<OpenPanel | null>(null);
  const [dock, setDock] = useState<DockName | null>(null);
  const [inline, setInline] = useState<{ name: InlineName; step: number } | null>(null);
  const [line, setLine] = useState<LineName | null>(null);
  const [hit, setHit] = useState<number | null>(null);
  const [raw, setRaw] = useState(false);
  const [comparing, setComparing] = useState(false);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [message, setMessage] = useState<News | null>(null);
  const [asked, setAsked] = useState<Finding | null>(null);
  const [reference, setReference] = useState<string | null>(null);
  const [laterOpen, setLaterOpen] = useState(false);
  const copied = useRef({ step: -1, place: 0 });
  /** The marks that were listed when the label was about to be submitted. The next Enter submits. */
  const listed = useRef("");
  const { dwell_seconds: dwell } = usePageChoices();
  const card = useMistakeCard(label, draft);

  const tracing = useSymbolTrace(useCallback((step) => session.dispatch({ type: "focus", step }), [session]));
  const following = tracing.trace !== null;
  const traceNext = useCallback(() => {
    const say = (words: string) => setMessage({ words, tone: "ask" });
    tracing.next(session.getState().draft.focus).then(
      (found) => found || say("There is no symbol or number to trace here."),
      () => say("Tracing did not load. Try again when you are online."),
    );
  }, [tracing.next, session]);

  useChanges(comparing && draft.focus > 0 ? draft.focus : null, () =>
    setMessage({ words: "The comparison did not load. Try again when you are online.", tone: "ask" }),
  );

  /**
   * A ref to the current card: callbacks that open and close things must not change, or every key would redraw all
   * rows.
   */
  const cardNow = useRef(card);
  cardNow.current = card;
  const backToStep = useCallback(() => {
    const { focus } = session.getState().draft;
    session.lookAt(focus);
    const now = cardNow.current;
    if (now?.row) now.goTo(now.row);
    else focusStep(focus);
  }, [session]);

  const closeDialog = useCallback(() => {
    if (dialog === "pause") session.start();
    setDialog(null);
    setAsked(null);
    backToStep();
  }, [dialog, session, backToStep]);
  const closeDock = useCallback(() => {
    setDock(null);
    backToStep();
  }, [backToStep]);
  const closeInline = useCallback(() => {
    setInline(null);
    backToStep();
  }, [backToStep]);
  const closeLine = useCallback(() => {
    setLine(null);
    setHit(null);
    highlight("");
    backToStep();
  }, [backToStep]);
  const showHit = useCallback((step: number | null, words: string) => {
    setHit(step);
    highlight(words);
    if (step !== null) bringIntoSight(rowOf(step), "center");
  }, []);
  useEffect(() => () => highlight(""), []);

  const dispatch = useCallback(
    (action: DraftAction) => {
      const { draft: now } = session.getState();
      const soon = dwell > 0 ? tooSoon(now, action, session.activeTime(Date.now()).per_step, dwell) : null;
      if (soon !== null) {
        setMessage({ words: `Step ${soon + 1}: read each step for at least ${dwell} s.`, tone: "ask" });
        return;
      }
      setMessage(null);
      session.dispatch(action);
      const { focus, protocol, content } = session.getState().draft;
      if (!isRatable(protocol, content.ratings, focus)) setLaterOpen(true);
      if (content !== now.content && action.type === "rate") setLaterOpen(false);
    },
    [session, dwell],
  );

  const submit = useCallback(() => {
    const { protocol, content } = session.getState().draft;
    const finish = finishReason(protocol, content);
    const error = finish === "found_error" ? errorStep(protocol, content.ratings) : -1;
    const [lacking] = [
      ...protocol.missing(content.ratings, finish, content.finishKind ?? "", content.finishText),
      ...(label.typed_steps ? marksMissing(content.ratings, content.runMarks) : []),
      ...missingAfterError(
        label.after_error.asked,
        error,
        content.mistake,
        ratedExplanations(error, content.suggestions),
      ),
    ];
    const goTo = (step: number) => {
      session.dispatch({ type: "focus", step });
      focusStep(step);
    };
    if (lacking) {
      setMessage({ words: explain(lacking), tone: "ask" });
      if (lacking.step !== undefined) goTo(lacking.step);
      else if (lacking.code !== "no_error_marked") setDialog(finish === "give_up" ? "give_up" : "bad_problem");
      return;
    }
    const marks = content.desk.lookAgain;
    const names = marks.join();
    if (marks.length > 0 && listed.current !== names) {
      listed.current = names;
      goTo(marks[0] ?? 0);
      const actions = marks.map((step) => ({ words: `${step + 1}`, run: () => goTo(step) }));
      setMessage({ words: "Marked to look at again; Enter still submits:", tone: "ask", actions });
      return;
    }
    const { ratings, confirmations } = content;
    const [contradiction] = openContradictions(protocol, ratings, finish, label.outcome, confirmations);
    if (contradiction) {
      setAsked(contradiction);
      setDialog("confirm");
      return;
    }
    setMessage(null);
    onSubmit();
  }, [session, label, onSubmit]);

  const open = useCallback(
    (name: PanelName) => {
      const { focus } = session.getState().draft;
      if (DOCKS.includes(name)) {
        if (name === dock) closeDock();
        else setDock(name as DockName);
      } else if (INLINE.includes(name)) setInline({ name: name as InlineName, step: focus });
      else if (LINES.includes(name)) setLine(name as LineName);
      else {
        setDialog(name as OpenPanel);
        session.lookAt(null);
        if (name === "pause") session.stop();
      }
    },
    [session, dock, closeDock],
  );

  const copyTex = useCallback(() => {
    const step = session.getState().draft.focus;
    const copies = copiesOf(label.steps[step] ?? "");
    const { step: before, place } = copied.current;
    copied.current = { step, place: before === step ? (place + 1) % copies.length : 0 };
    const now = copied.current.place;
    void writeClipboard(copies[now] ?? "").then((done) =>
      setMessage(
        done
          ? { words: copyWords(`step ${step + 1}`, now, copies.length) }
          : { words: "This browser blocks writing to the clipboard.", tone: "warn" },
      ),
    );
  }, [session, label.steps]);

  const closed = useMemo(() => closedSteps(draft), [draft]);
  const error = errorStep(draft.protocol, draft.content.ratings);
  const bench: Workbench = useMemo(
    () => ({
      draft,
      referenceAvailable: label.reference_solution_available,
      earlierLabels: label.earlier_labels,
      canUndoSubmission,
      card: draft.focus === error ? card : null,
      about: card && aboutMistake(error, card, session),
      dispatch,
      open,
      realise: () => setCursor(startRealising(session.getState().draft.focus)),
      moveByPage: (direction) => {
        const { focus } = session.getState().draft;
        const step = stepAPageAway(focus, direction);
        if (step === null) return;
        flushSync(() => dispatch({ type: "focus", step }));
        if (step < focus) showLastScreen(step);
      },
      scrollWide: (direction) => scrollWide(session.getState().draft.focus, direction),
      toggleRaw: () => setRaw((old) => !old),
      toggleChanges: () => {
        setComparing(!comparing);
        setMessage({ words: comparing ? "Changes are no longer marked." : CHANGES_MARKED });
      },
      toggleLater: () => {
        if (closed.length === 0) return void fetchFolds().then((toggle) => toggle(session.getState().draft.focus));
        if (laterOpen && error >= 0) session.dispatch({ type: "focus", step: Math.min(draft.focus, error) });
        setLaterOpen(!laterOpen);
      },
      hasLater: closed.length > 0,
      isRun: label.typed_steps !== null,
      sayOfRun: focusRunMarks,
      copyTex,
      showReference: () => {
        showReference(label.id)
          .then(({ solution }) => setReference(solution))
          .catch((error: Error) => setMessage({ words: error.message, tone: "warn" }));
      },
      tracing: { on: following, next: traceNext, go: tracing.go, end: tracing.end },
      submit,
      undoSubmission: onUndoSubmission,
    }),
    [
      draft,
      label,
      card,
      error,
      canUndoSubmission,
      session,
      dispatch,
      open,
      submit,
      onUndoSubmission,
      laterOpen,
      comparing,
      closed,
      copyTex,
      following,
      traceNext,
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

  return {
    ...{ card, tracing, traceNext },
    ...{ bench, closed, dialog, dock, inline, line, hit, raw, cursor, message, asked, reference, laterOpen },
    ...{ closeDialog, closeDock, closeInline, closeLine, showHit, setCursor, finishRealising, setDialog, backToStep },
  };
}

/** Commands about the mistake act at its step: a labeler who has read on returns to it and types there. */
function aboutMistake(step: number, { setPicking }: MistakeCardState, session: LabelSession): AboutMistake {
  const there = (then: () => void) => () => {
    flushSync(() => session.dispatch({ type: "focus", step })); // focusing a step also moves the keyboard focus
    then();
  };
  const write = (id: string) => there(() => writeOn(document.getElementById(id)));
  return {
    chooseKind: there(() => setPicking(true)),
    correctStep: write("mistake-corrected"),
    explain: write("mistake-explanation"),
  };
}

/** The steps that may not be rated. */
function closedSteps({ protocol, content: { ratings } }: Draft): number[] {
  const ratable = new Set(protocol.ratableSteps(ratings));
  return ratings.flatMap((_, step) => (ratable.has(step) ? [] : [step]));
}
