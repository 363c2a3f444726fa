import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { pageChoices } from "@/api/preferences";
import { useSavePreferences, useUser } from "@/api/session";
import type { Label } from "@/api/types";
import { ratingOf } from "@/protocol/afterError";
import { commandNamed, commands, type Workbench as WorkbenchContext } from "@/protocol/commands";
import { type Command, commandPressed, type KeyChoices, keysOf, NO_CHOICES } from "@/protocol/keyMap";
import { isCommandPress, isFinishingPress, keyOf, showKey } from "@/protocol/keys";
import { commandsAt } from "@/protocol/mistakeCommands";
import { errorStep } from "@/protocol/ratings";
import { pressWhileRealising } from "@/protocol/realise";
import type { News } from "@/ui/BottomLine";
import { Dialog } from "@/ui/Dialog";
import { countOf } from "@/ui/format";
import { partOfPage } from "@/ui/partOfPage";
import { ActionBar } from "./ActionBar";
import { Docks } from "./Docks";
import { Header } from "./Header";
import { CalculatorBar, JumpBar, SearchBar } from "./LineBars";
import type { LabelSession } from "./labelSession";
import classes from "./layout.module.css";
import type { Unsent } from "./ownProgress";
import { Panels } from "./Panels";
import { ProblemPane } from "./ProblemPane";
import { pageStyle } from "./pageStyle";
import { showRating } from "./RatingButtons";
import type { SaveIndicatorProps } from "./SaveIndicator";
import { StepList } from "./StepList";
import { isForTheProblem } from "./stepsInSight";
import { TraceLine } from "./TraceLine";
import type { MistakeCardState } from "./useMistakeCard";
import { useRestNews } from "./useRestNews";
import { useWorkbench } from "./useWorkbench";

const MoreCommands = partOfPage(async () => (await import("./MoreCommands")).MoreCommands<WorkbenchContext>);
const BreakDialog = partOfPage(async () => (await import("./BreakDialog")).BreakDialog);
const ConflictDialog = partOfPage(async () => (await import("./ConflictDialog")).ConflictDialog);
const RealiseBar = partOfPage(async () => (await import("./RealiseBar")).RealiseBar);

export interface WorkbenchProps {
  label: Label;
  session: LabelSession;
  submitWords: string;
  /** When the label that this one replaces was submitted. */
  revisionOf?: string | null;
  canUndoSubmission: boolean;
  waiting: Unsent;
  outbox: Pick<SaveIndicatorProps, "queued" | "unreachable" | "durable">;
  /** Further news to show. `working`: work on this label has begun. */
  newsWhile: (working: boolean) => News | null;
  onSubmit: () => void;
  onUndoSubmission: () => void;
}

/** One label on the desk. Everything it can do is in the command list; keys and buttons only select from it. */
export function Workbench(props: WorkbenchProps) {
  const { label, session, onSubmit, onUndoSubmission, canUndoSubmission } = props;
  const state = useSyncExternalStore(session.subscribe, session.getState);
  const { draft } = state;
  const user = useUser();
  const { save } = useSavePreferences();
  const choices: KeyChoices = user.preferences.keys ?? NO_CHOICES;
  const chosen = pageChoices(user.preferences);
  const desk = useWorkbench({ label, session, draft, canUndoSubmission, onSubmit, onUndoSubmission });
  const { bench, card, dialog, dock, line, cursor, tracing } = desk;
  const rest = useRestNews(chosen.rest_minutes, showKey(keysOf(commandNamed("pause"), choices)[0] ?? ""), bench.open);

  useEffect(() => {
    session.start();
    return () => session.stop();
  }, [session]);

  // On a phone the page scrolls as a whole, and the problem is read first. A label with work in it resumes at its step.
  useEffect(() => {
    if (!session.hasWork()) window.scrollTo(0, 0);
  }, [session]);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (dialog !== null || isForTheProblem(event)) return;
    if (isFinishingPress(event) && !cursor) return bench.submit();
    if (event.key === "Escape" && dock && !cursor && !event.defaultPrevented) return desk.closeDock();
    if (cursor && isCommandPress(event)) {
      event.preventDefault();
      const realised = pressWhileRealising(cursor, keyOf(event), event.repeat, choices);
      if (realised === "taken") desk.finishRealising(cursor.candidate);
      else if (realised === "left") desk.finishRealising(null);
      else desk.setCursor(realised);
      return;
    }
    if (event.key === "Escape" && tracing.trace !== null && isCommandPress(event)) return tracing.end();
    const command = commandPressed(commandsAt(bench.card, commands), event, choices);
    const current = { ...bench, draft: session.getState().draft };
    if (command?.enabled(current)) command.run(current);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);

  const run = (command: Command<WorkbenchContext>) => command.enabled(bench) && command.run(bench);
  const toProblem = {
    onEnter: () => session.lookAt(null),
    onLeave: () => session.lookAt(session.getState().draft.focus),
  };
  const go = (step: number) => {
    bench.dispatch({ type: "focus", step });
    desk.closeLine();
  };
  const find = { problem: label.problem.text, steps: label.steps, focus: draft.focus };
  const finding = { ...find, onHit: desk.showHit, onGo: go, onLeave: desk.closeLine };
  const worked = draft.past.length > 0;
  return (
    <div className={classes.page} {...pageStyle(chosen)}>
      <Header
        label={label}
        session={session}
        choices={choices}
        waiting={props.waiting}
        revising={Boolean(props.revisionOf)}
        onOpen={bench.open}
      />
      <main className={classes.work}>
        <ProblemPane
          label={label}
          content={draft.content}
          raw={desk.raw}
          reference={desk.reference}
          choices={choices}
          onRun={run}
          {...toProblem}
        >
          <TraceLine tracing={tracing} choices={choices} onNext={desk.traceNext} />
        </ProblemPane>
        {dock && (
          <Docks
            key={dock}
            name={dock}
            label={label}
            protocol={draft.protocol}
            desk={draft.content.desk}
            onScratch={(text) => bench.dispatch({ type: "scratch", text })}
            choices={choices}
            onChoices={(keys) => save((now) => ({ ...now, keys: { ...keys } }))}
            onClose={desk.closeDock}
            onBack={desk.backToStep}
            {...toProblem}
          />
        )}
        <StepList
          label={label}
          session={session}
          state={state}
          desk={desk}
          card={card}
          choices={choices}
          clock={chosen.clock}
          revisionOf={props.revisionOf ?? null}
        />
      </main>
      {cursor ? (
        <RealiseBar
          draft={draft}
          cursor={cursor}
          choices={choices}
          onCursor={desk.setCursor}
          onEnd={desk.finishRealising}
        />
      ) : line === "search" ? (
        <SearchBar {...finding} />
      ) : line === "jump" ? (
        <JumpBar {...finding} />
      ) : line === "calculator" ? (
        <CalculatorBar
          calculations={draft.content.desk.calculations}
          onCalculated={(calculation) => bench.dispatch({ type: "calculated", calculation })}
          onLeave={desk.closeLine}
        />
      ) : (
        <ActionBar
          bench={bench}
          choices={choices}
          news={desk.message ?? props.newsWhile(worked) ?? rest}
          save={{
            state: state.save,
            detail: state.saveDetail,
            hasWork: session.hasWork(),
            ...props.outbox,
          }}
          submitWords={props.submitWords}
          onMore={() => desk.setDialog("more")}
        />
      )}
      <Announcement draft={draft} card={card} />
      {dialog === "more" && (
        <Dialog title="More" onClose={desk.closeDialog}>
          <MoreCommands
            slug={label.project.slug}
            commands={commands}
            bench={bench}
            choices={choices}
            onDone={() => desk.setDialog(null)}
          />
        </Dialog>
      )}
      {dialog === "pause" && <BreakDialog onClose={desk.closeDialog} />}
      {dialog !== null && dialog !== "more" && dialog !== "pause" && (
        <Panels
          label={label.id}
          panel={dialog}
          asked={desk.asked}
          problem={label.problem.text}
          draft={draft}
          dispatch={session.dispatch}
          onClose={desk.closeDialog}
          onFinished={() => {
            desk.closeDialog();
            bench.submit();
          }}
        />
      )}
      {state.conflict && <ConflictDialog conflict={state.conflict} onSettle={(keep) => session.settle(keep)} />}
    </div>
  );
}

/** What a screen reader announces after each key. */
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
      ? `Step ${error + 1} is the first error. ${countOf(rated, "step")} rated.`
      : `${rated} of ${countOf(ratings.length, "step")} rated. Step ${draft.focus + 1} in focus.`;
  return (
    <div className="visually-hidden" role="status">
      {words}
    </div>
  );
}
