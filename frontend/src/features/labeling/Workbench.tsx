import { useCallback, useEffect, useEffectEvent, useMemo, useState, useSyncExternalStore } from "react";
import { useSavePreferences, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { commands, type OpenPanel, type Workbench as WorkbenchContext } from "@/protocol/commands";
import { finishReason } from "@/protocol/draft";
import { explain, openContradictions } from "@/protocol/findings";
import type { Finding } from "@/protocol/interface";
import { type Command, commandFor, type KeyChoices, NO_CHOICES } from "@/protocol/keyMap";
import { isCommandPress, isFinishingPress, keyOf } from "@/protocol/keys";
import { errorStep } from "@/protocol/ratings";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { ActionBar, MoreCommands } from "./ActionBar";
import { Header } from "./Header";
import type { LabelSession } from "./labelSession";
import classes from "./layout.module.css";
import { Panels } from "./Panels";
import { ProblemPane } from "./ProblemPane";
import { showReference } from "./queries";
import type { SaveIndicatorProps } from "./SaveIndicator";
import { StepList } from "./StepList";

export interface WorkbenchProps {
  label: Label;
  session: LabelSession;
  submitWords: string;
  canUndoSubmission: boolean;
  waiting: { labels: number; activeMs: number };
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
  const [picking, setPicking] = useState<{ noticedAt: number; candidate: number } | null>(null);
  const [message, setMessage] = useState("");
  const [asked, setAsked] = useState<Finding | null>(null);
  const [reference, setReference] = useState<string | null>(null);

  useEffect(() => {
    session.start();
    return () => session.stop();
  }, [session]);

  const closePanel = useCallback(() => {
    setPanel(null);
    setAsked(null);
    session.lookAt(session.getState().draft.focus);
    focusStep(session.getState().draft.focus);
  }, [session]);

  const trySubmit = useCallback(() => {
    const { protocol, content } = session.getState().draft;
    const finish = finishReason(protocol, content);
    const [lacking] = protocol.missing(content.ratings, finish, content.finishKind ?? "", content.finishText);
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
  }, [session, label.outcome, onSubmit]);

  const openPanel = useCallback(
    (name: OpenPanel) => {
      const { focus } = session.getState().draft;
      if (name === "realise") setPicking({ noticedAt: focus, candidate: focus - 1 });
      else setPanel(name);
      if (name !== "realise") session.lookAt(name === "comment" || name === "split_badly" ? focus : null);
    },
    [session],
  );

  const bench: WorkbenchContext = useMemo(
    () => ({
      draft,
      referenceAvailable: label.reference_solution_available,
      earlierLabels: label.earlier_labels,
      canUndoSubmission,
      dispatch: (action) => {
        setMessage("");
        session.dispatch(action);
      },
      open: openPanel,
      toggleRaw: () => setRaw((old) => !old),
      showReference: () => {
        showReference(label.id)
          .then(({ solution }) => setReference(solution))
          .catch((error: Error) => setMessage(error.message));
      },
      explainMistake: () => document.getElementById("mistake-explanation")?.focus(),
      submit: trySubmit,
      undoSubmission: onUndoSubmission,
    }),
    [draft, label, canUndoSubmission, session, openPanel, trySubmit, onUndoSubmission],
  );

  const finishPicking = useCallback(
    (badStep: number | null) => {
      if (picking && badStep !== null) session.dispatch({ type: "realise", badStep, noticedAt: picking.noticedAt });
      setPicking(null);
      focusStep(session.getState().draft.focus);
    },
    [picking, session],
  );

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (panel !== null) return;
    if (isFinishingPress(event) && !picking) return bench.submit();
    if (!isCommandPress(event)) return;
    if (picking) return pressWhilePicking(event, picking, setPicking, finishPicking);
    const command = commandFor(commands, keyOf(event), choices);
    if (!command) return;
    event.preventDefault();
    const current = { ...bench, draft: session.getState().draft };
    if (command.enabled(current)) command.run(current);
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
      <Header label={label} session={session} choices={choices} waiting={props.waiting} onOpen={openPanel} />
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
        />
        <StepList
          label={label}
          session={session}
          state={state}
          raw={raw}
          picking={picking}
          message={message}
          onPick={finishPicking}
          onOpen={openPanel}
        />
      </main>
      <ActionBar
        bench={bench}
        choices={choices}
        save={save}
        submitWords={props.submitWords}
        onMore={() => setPanel("more")}
      />
      <Announcement draft={draft} />
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

/** Put the keyboard focus on a step's row, wherever it was before: focus is never lost to the page's body. */
function focusStep(step: number): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-step="${step}"]`)?.focus({ preventScroll: true }),
  );
}

function pressWhilePicking(
  event: KeyboardEvent,
  picking: { noticedAt: number; candidate: number },
  setPicking: (picking: { noticedAt: number; candidate: number }) => void,
  finish: (step: number | null) => void,
): void {
  event.preventDefault();
  const by: Record<string, number> = { arrowup: -1, k: -1, arrowdown: 1, j: 1 };
  const key = keyOf(event);
  if (key in by) {
    const candidate = picking.candidate + (by[key] ?? 0);
    setPicking({ ...picking, candidate: Math.max(0, Math.min(picking.noticedAt - 1, candidate)) });
  } else if (key === "enter" || key === "x" || key === "space" || key === "-") finish(picking.candidate);
  else if (key === "escape" || key === "r" || key === "z") finish(null);
  else if (/^[1-9]$/.test(key) && Number(key) <= picking.noticedAt)
    setPicking({ ...picking, candidate: Number(key) - 1 });
}

/** What a screen reader hears after each key. */
function Announcement({ draft }: { draft: WorkbenchContext["draft"] }) {
  const { ratings } = draft.content;
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

interface ConflictDialogProps {
  conflict: { local: { updatedAt: number }; server: { updatedAt: number } };
  onSettle: (keep: "local" | "server") => void;
}

function ConflictDialog({ conflict, onSettle }: ConflictDialogProps) {
  const localIsNewer = conflict.local.updatedAt >= conflict.server.updatedAt;
  const when = (time: number) => new Date(time).toLocaleTimeString();
  return (
    <Dialog title="Two versions of this label" onClose={() => onSettle(localIsNewer ? "local" : "server")}>
      <p>
        You also worked on this label in another place. The version on <strong>this device</strong> is from{" "}
        {when(conflict.local.updatedAt)}, the one on <strong>the server</strong> from {when(conflict.server.updatedAt)}:{" "}
        {localIsNewer ? "this device’s is newer." : "the server’s is newer."} Nothing is thrown away until you choose;
        undo brings the other one back.
      </p>
      <div style={{ display: "flex", flexWrap: "wrap", gap: 10, justifyContent: "flex-end" }}>
        <Button kind={localIsNewer ? "default" : "primary"} onClick={() => onSettle("server")}>
          Keep the server’s
        </Button>
        <Button kind={localIsNewer ? "primary" : "default"} onClick={() => onSettle("local")}>
          Keep this device’s
        </Button>
      </div>
    </Dialog>
  );
}
