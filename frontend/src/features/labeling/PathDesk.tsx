import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { pageChoices } from "@/api/preferences";
import { useSavePreferences, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { type PathBench, pathCommandNamed, pathCommands } from "@/protocol/choose_step/commands";
import { openWords } from "@/protocol/choose_step/words";
import { withCalculation } from "@/protocol/desk";
import { type Command, commandPressed, type KeyChoices, keysOf, NO_CHOICES } from "@/protocol/keyMap";
import { isCommandPress, isFinishingPress, showKey } from "@/protocol/keys";
import type { News } from "@/ui/BottomLine";
import { Dialog } from "@/ui/Dialog";
import { ConflictDialog } from "./ConflictDialog";
import { Header } from "./Header";
import { InlineText } from "./InlineForms";
import { CalculatorBar } from "./LineBars";
import layout from "./layout.module.css";
import { MoreCommands } from "./MoreCommands";
import { OpenStepView, type PathKeys } from "./OpenStepView";
import type { Unsent } from "./ownProgress";
import { PathBanners } from "./PathBanners";
import { PathBar } from "./PathBar";
import { PathDocks } from "./PathDocks";
import { PathPanels } from "./PathPanels";
import { PathProblem } from "./PathProblem";
import { PathSoFar } from "./PathSoFar";
import { pageStyle } from "./pageStyle";
import type { PathSession } from "./pathSession";
import type { SaveIndicatorProps } from "./SaveIndicator";
import { isForTheProblem } from "./stepsInSight";
import { TraceLine } from "./TraceLine";
import { usePathDesk } from "./usePathDesk";
import { useRestNews } from "./useRestNews";

interface PathDeskProps {
  label: Label;
  session: PathSession;
  canUndoSubmission: boolean;
  waiting: Unsent;
  outbox: Pick<SaveIndicatorProps, "queued" | "unreachable" | "durable">;
  /** News of the submission before this one. `working`: work on this path has begun. */
  newsWhile: (working: boolean) => News | null;
  onSubmit: () => void;
  onUndoSubmission: () => void;
  onLeave: () => void;
}

/** One path on the desk. Everything it can do is in its command list; keys and buttons only select from it. */
export function PathDesk(props: PathDeskProps) {
  const { label, session, canUndoSubmission, onSubmit, onUndoSubmission } = props;
  const state = useSyncExternalStore(session.subscribe, session.getState);
  const { draft, content, path } = state;
  const user = useUser();
  const { save: savePreferences } = useSavePreferences();
  const choices: KeyChoices = user.preferences.keys ?? NO_CHOICES;
  const chosen = pageChoices(user.preferences);
  const desk = usePathDesk({ label, session, state, canUndoSubmission, onSubmit, onUndoSubmission });
  const { bench, dialog, dock, raw, row, tracing, commenting } = desk;
  const key = (name: string) => showKey(keysOf(pathCommandNamed(name), choices)[0] ?? "");
  const rest = useRestNews(chosen.rest_minutes, key("pause"), (name) => bench?.openPanel(name));

  useEffect(() => {
    session.start();
    return () => session.stop();
  }, [session]);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (dialog !== null || bench === null || isForTheProblem(event)) return;
    if (isFinishingPress(event)) return bench.submit();
    if (event.key === "Escape" && isCommandPress(event)) {
      if (dock) desk.closeDock();
      else if (tracing.trace !== null) tracing.end();
      return;
    }
    const command = commandPressed(pathCommands, event, choices);
    if (command?.enabled(bench)) command.run(bench);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  const run = (command: Command<PathBench>) => bench && command.enabled(bench) && command.run(bench);
  const toProblem = { onEnter: () => session.lookAt("problem"), onLeave: () => session.lookAt("row") };
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
  const inline = commenting !== null && {
    place: commenting,
    form: (
      <InlineText
        key={commenting}
        title={`Comment on step ${commenting + 1}`}
        field="Comment (researchers see it with the label)"
        initial={content.comments[commenting] ?? ""}
        onType={(text) => desk.noteComment(commenting, text)}
        onKeep={(text) => desk.keepComment(commenting, text)}
      />
    ),
  };
  return (
    <div className={layout.page} {...pageStyle(chosen)}>
      <Header
        label={label}
        session={session}
        choices={choices}
        waiting={props.waiting}
        revising={false}
        onOpen={(name) => bench?.openPanel(name)}
      />
      <main className={layout.work}>
        {path && (
          <PathProblem
            label={label}
            path={path}
            raw={raw}
            reference={desk.reference}
            reported={content.reports.some(({ kind }) => kind === "answer_wrong")}
            choices={choices}
            onRun={run}
            {...toProblem}
          >
            <TraceLine tracing={tracing} choices={choices} pathLength={path.steps.length} onNext={desk.traceNext} />
          </PathProblem>
        )}
        {path && dock && (
          <PathDocks
            key={dock}
            name={dock}
            label={label}
            path={path}
            desk={content.desk}
            onScratch={(scratch) => session.note({ desk: { ...content.desk, scratch } })}
            choices={choices}
            onChoices={(chosen) => savePreferences((now) => ({ ...now, keys: { ...chosen } }))}
            onClose={desk.closeDock}
            onBack={desk.backToRow}
            {...toProblem}
          />
        )}
        <section ref={desk.pane} className={layout.steps} aria-label="Path">
          <PathBanners session={session} state={state} />
          {path && bench && (
            <>
              <PathSoFar
                path={path}
                inHand={row}
                unfolded={desk.unfolded}
                raw={raw}
                comments={content.comments}
                marks={content.desk.lookAgain}
                inline={inline || null}
                foldKey={key("unfold")}
                historyKey={key("history")}
                onUnfold={() => desk.setUnfolded(true)}
                onFocus={(at) => session.dispatch({ type: "focus", row: at })}
                onHistory={() => bench.openPanel("history")}
              />
              <OpenStepView
                path={path}
                content={draft.content}
                inHand={row}
                raw={raw}
                sending={content.sending !== null}
                asked={desk.asked}
                refusal={state.refusal}
                comment={content.comments[path.steps.length] ?? ""}
                marked={content.desk.lookAgain.includes(path.steps.length)}
                inline={inline && inline.place === path.steps.length && inline.form}
                keys={keys}
                dispatch={desk.dispatch}
                onHold={session.hold}
                onEnter={desk.stayWriting}
                onWrite={desk.write}
                onLeave={() => bench.openPanel("leave")}
                onRows={desk.leaveEditor}
              />
            </>
          )}
        </section>
      </main>
      {desk.calculating ? (
        <CalculatorBar
          calculations={content.desk.calculations}
          onCalculated={(one) => session.note({ desk: withCalculation(session.getState().content.desk, one) })}
          onLeave={desk.closeLine}
        />
      ) : (
        bench && (
          <PathBar
            bench={bench}
            choices={choices}
            save={save}
            message={state.message}
            news={state.news}
            before={props.newsWhile(!session.isUntouched()) ?? rest}
            onMore={() => desk.setDialog("more")}
          />
        )
      )}
      {path?.open && (
        <div className="visually-hidden" role="status">
          Step {path.open.step + 1}. {openWords(path, path.open, draft.content)}
        </div>
      )}
      {dialog === "more" && bench && (
        <Dialog title="More" onClose={desk.closeDialog}>
          <MoreCommands
            slug={label.project.slug}
            commands={pathCommands}
            bench={bench}
            choices={choices}
            elsewhere={["last_step"]}
            onDone={() => desk.setDialog(null)}
          />
        </Dialog>
      )}
      {dialog !== null && dialog !== "more" && path && (
        <PathPanels
          label={label.id}
          panel={dialog}
          problem={label.problem.text}
          path={path}
          content={content}
          onNote={session.note}
          onClose={desk.closeDialog}
          onFinished={() => {
            desk.closeDialog();
            onSubmit();
          }}
          onLeave={props.onLeave}
        />
      )}
      {state.conflict && <ConflictDialog conflict={state.conflict} onSettle={(keep) => session.settle(keep)} />}
    </div>
  );
}
