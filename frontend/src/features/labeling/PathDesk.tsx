import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useSavePreferences, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { type PathBench, type PathPanel, pathCommandNamed, pathCommands } from "@/protocol/choose_step/commands";
import { lacks } from "@/protocol/choose_step/path";
import { rowInHand } from "@/protocol/choose_step/stepDraft";
import { explainLack, openWords } from "@/protocol/choose_step/words";
import { type Command, commandPressed, type KeyChoices, keysOf, NO_CHOICES } from "@/protocol/keyMap";
import { isFinishingPress, showKey } from "@/protocol/keys";
import type { News } from "@/ui/BottomLine";
import { Dialog } from "@/ui/Dialog";
import { scrollFormulas } from "@/ui/math/fitFormulas";
import { ConflictDialog } from "./ConflictDialog";
import { Header } from "./Header";
import type { PathState } from "./keptPath";
import layout from "./layout.module.css";
import { MoreCommands } from "./MoreCommands";
import { OpenStepView, type PathKeys } from "./OpenStepView";
import type { Unsent } from "./ownProgress";
import { PathBanners } from "./PathBanners";
import { PathBar } from "./PathBar";
import { PathPanels } from "./PathPanels";
import { PathProblem } from "./PathProblem";
import { PathSoFar } from "./PathSoFar";
import type { PathSession } from "./pathSession";
import { showReference } from "./queries";
import type { SaveIndicatorProps } from "./SaveIndicator";
import { isForTheProblem } from "./stepsInSight";

interface PathDeskProps {
  label: Label;
  session: PathSession;
  canUndoSubmission: boolean;
  waiting: Unsent;
  outbox: Pick<SaveIndicatorProps, "queued" | "unreachable" | "durable">;
  /** What the submission before this one is said to have become; `working`: this path was begun. */
  newsWhile: (working: boolean) => News | null;
  onSubmit: () => void;
  onUndoSubmission: () => void;
  onLeave: () => void;
}

/** Of the pane, what a screen further moves it by: a line or two of what was seen last is still there. */
const PAGE = 0.86;

/** One path on the desk. Everything it can do is in its command list; keys and buttons only pick from it. */
export function PathDesk(props: PathDeskProps) {
  const { label, session, canUndoSubmission, onSubmit, onUndoSubmission } = props;
  const state = useSyncExternalStore(session.subscribe, session.getState);
  const { draft, content } = state;
  const path = state.path;
  const user = useUser();
  const savePreferences = useSavePreferences();
  const choices: KeyChoices = user.preferences.keys ?? NO_CHOICES;
  const [panel, setPanel] = useState<PathPanel | null>(null);
  const [raw, setRaw] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const [reference, setReference] = useState<string | null>(null);
  const [asked, write, stopWriting] = useWriting(state);
  const pane = useRef<HTMLElement>(null);

  useEffect(() => {
    session.start();
    return () => session.stop();
  }, [session]);

  const row = path ? rowInHand(draft, path.steps.length, path.open?.completions ?? []) : 0;
  const focusRow = useCallback(() => {
    requestAnimationFrame(() => pane.current?.querySelector<HTMLElement>('[aria-current="step"]')?.focus());
  }, []);
  const closePanel = useCallback(() => {
    setPanel(null);
    session.lookAt("row");
    focusRow();
  }, [session, focusRow]);

  const submit = useCallback(() => {
    const now = session.getState();
    if (!now.path || now.content.sending) return;
    if (now.path.ended === "final_answer") return onSubmit();
    if (!now.path.open) return session.say("The path has ended without an answer: give up, or take a step back.");
    const [lack] = lacks(now.path, now.path.open, now.draft.content);
    if (!lack) {
      focusRow();
      return session.submitStep();
    }
    session.say(explainLack(lack, now.path.open));
    const at = now.path.open.completions.findIndex(({ number }) => number === lack.number);
    if (at >= 0) session.dispatch({ type: "focus", row: at });
    else if (lack.code === "human_needed") write();
  }, [session, onSubmit, focusRow, write]);

  const bench: PathBench | null = useMemo(
    () =>
      path && {
        path,
        draft,
        row,
        sending: content.sending !== null,
        referenceAvailable: label.reference_solution_available,
        canUndoSubmission,
        dispatch: session.dispatch,
        showRest: session.showRest,
        askMore: session.askMore,
        write,
        unfold: () => setUnfolded((old) => !old),
        moveByPage: (direction) => moveByPage(pane.current, direction),
        scrollWide: (direction) => scrollWide(pane.current, direction),
        toggleRaw: () => setRaw((old) => !old),
        showReference: () => {
          showReference(label.id)
            .then(({ solution }) => setReference(solution))
            .catch((error: Error) => session.say(error.message));
        },
        openPanel: (name) => {
          setPanel(name);
          session.lookAt(name === "comment" ? "row" : "problem");
        },
        submit,
        takeBack: () => (path.can_undo || content.sending ? void session.takeBack() : onUndoSubmission()),
      },
    [path, draft, row, content.sending, label, canUndoSubmission, session, write, submit, onUndoSubmission],
  );

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (panel !== null || bench === null || isForTheProblem(event)) return;
    if (isFinishingPress(event)) return submit();
    const command = commandPressed(pathCommands, event, choices);
    if (command?.enabled(bench)) command.run(bench);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  const run = (command: Command<PathBench>) => bench && command.enabled(bench) && command.run(bench);
  const key = (name: string) => showKey(keysOf(pathCommandNamed(name), choices)[0] ?? "");
  const keys: PathKeys = {
    write: key("write_step"),
    more: key("more_completions"),
    leave: key("leave"),
    giveUp: key("give_up"),
    undo: key("undo"),
    submit: key("submit"),
  };
  const save: SaveIndicatorProps = {
    state: state.save,
    detail: state.saveDetail,
    hasWork: session.hasWork(),
    ...props.outbox,
    unreachable: props.outbox.unreachable || state.unreachable,
  };
  const leaveEditor = () => {
    stopWriting();
    focusRow();
  };
  return (
    <div className={layout.page}>
      <Header
        label={label}
        session={session}
        choices={choices}
        waiting={props.waiting}
        revising={false}
        onOpen={setPanel}
      />
      <main className={layout.work}>
        {path && (
          <PathProblem
            label={label}
            path={path}
            raw={raw}
            reference={reference}
            reported={content.reports.some(({ kind }) => kind === "answer_wrong")}
            choices={choices}
            onRun={run}
            onEnter={() => session.lookAt("problem")}
            onLeave={() => session.lookAt("row")}
          />
        )}
        <section ref={pane} className={layout.steps} aria-label="Path">
          <PathBanners session={session} state={state} />
          {path && (
            <>
              <PathSoFar
                path={path}
                inHand={row}
                unfolded={unfolded}
                raw={raw}
                comments={content.comments}
                foldKey={key("unfold")}
                historyKey={key("history")}
                onUnfold={() => setUnfolded(true)}
                onFocus={(at) => session.dispatch({ type: "focus", row: at })}
                onHistory={() => setPanel("history")}
              />
              <OpenStepView
                path={path}
                content={draft.content}
                inHand={row}
                raw={raw}
                sending={content.sending !== null}
                asked={asked}
                keys={keys}
                dispatch={session.dispatch}
                onHold={session.hold}
                onWrite={write}
                onLeave={() => setPanel("leave")}
                onRows={leaveEditor}
              />
            </>
          )}
        </section>
      </main>
      {bench && (
        <PathBar
          bench={bench}
          choices={choices}
          save={save}
          message={state.message}
          news={state.news}
          before={props.newsWhile(!session.isUntouched())}
          onMore={() => setPanel("more")}
        />
      )}
      {path?.open && (
        <div className="visually-hidden" role="status">
          Step {path.open.step + 1}. {openWords(path, path.open, draft.content)}
        </div>
      )}
      {panel === "more" && bench && (
        <Dialog title="More" onClose={closePanel}>
          <MoreCommands
            slug={label.project.slug}
            commands={pathCommands}
            bench={bench}
            choices={choices}
            elsewhere={["last_step"]}
            onDone={() => setPanel(null)}
          />
        </Dialog>
      )}
      {panel !== null && panel !== "more" && path && (
        <PathPanels
          panel={panel}
          label={label}
          path={path}
          content={content}
          place={path.steps.length + Math.min(0, row)}
          choices={choices}
          onChoices={(chosen) => savePreferences.mutate({ ...user.preferences, keys: { ...chosen } })}
          onNote={session.note}
          onClose={closePanel}
          onFinished={() => {
            closePanel();
            onSubmit();
          }}
          onLeave={props.onLeave}
        />
      )}
      {state.conflict && <ConflictDialog conflict={state.conflict} onSettle={(keep) => session.settle(keep)} />}
    </div>
  );
}

/** How often the labeler asked to write; each step asks anew. */
function useWriting({ path }: PathState): [asked: number, write: () => void, stop: () => void] {
  const [asked, setAsked] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step begins with its completions
  useEffect(() => setAsked(0), [path?.prefix_hash]);
  const write = useCallback(() => setAsked((old) => old + 1), []);
  const stop = useCallback(() => setAsked(0), []);
  return [asked, write, stop];
}

function moveByPage(pane: HTMLElement | null, direction: 1 | -1): void {
  if (!pane) return;
  const scrolls = pane.scrollHeight > pane.clientHeight + 1;
  const height = scrolls ? pane.clientHeight : window.innerHeight;
  (scrolls ? pane : window).scrollBy({ top: direction * PAGE * height });
}

/** The wide formulas of the row in hand; where it has none, those of the problem. */
function scrollWide(pane: HTMLElement | null, direction: 1 | -1): void {
  const row = pane?.querySelector<HTMLElement>('[aria-current="step"]');
  if (row && scrollFormulas(row, direction)) return;
  const problem = document.querySelector("aside");
  if (problem) scrollFormulas(problem, direction);
}
