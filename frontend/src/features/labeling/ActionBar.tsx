import { ratingOf } from "@/protocol/afterError";
import { commandNamed, commands, type Workbench } from "@/protocol/commands";
import { type Command, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { rateRow } from "@/protocol/mistakeCommands";
import { isRatable } from "@/protocol/ratings";
import { BottomLine, type News, NewsLine } from "@/ui/BottomLine";
import { Button } from "@/ui/Button";
import classes from "./layout.module.css";
import { RatingButtons } from "./RatingButtons";
import { SaveIndicator, type SaveIndicatorProps } from "./SaveIndicator";

interface ActionBarProps {
  bench: Workbench;
  choices: KeyChoices;
  news: News | null;
  save: SaveIndicatorProps;
  submitWords: string;
  onMore: () => void;
}

function CommandButton({
  command,
  bench,
  choices,
}: {
  command: Command<Workbench>;
  bench: Workbench;
  choices: KeyChoices;
}) {
  return (
    <button
      type="button"
      className={classes.command}
      title={command.title}
      disabled={!command.enabled(bench)}
      onClick={() => command.run(bench)}
    >
      <kbd>{showKey(keysOf(command, choices)[0] ?? "")}</kbd>
      {command.short ?? command.title}
    </button>
  );
}

/** The bar at the bottom, built from the command list. On a phone, it has big buttons for the thumb. */
export function ActionBar({ bench, choices, news, save, submitWords, onMore }: ActionBarProps) {
  const submit = commandNamed("submit");
  const submitKey = showKey(keysOf(submit, choices)[0] ?? "");
  return (
    <>
      <div className={classes.footer}>
        <BottomLine
          news={news}
          save={<SaveIndicator {...save} />}
          action={
            <Button kind="primary" onClick={bench.submit}>
              {submitWords} <kbd>{submitKey}</kbd>
            </Button>
          }
        >
          {commands
            .filter((command) => command.short)
            .map((command) => (
              <CommandButton key={command.name} command={command} bench={bench} choices={choices} />
            ))}
        </BottomLine>
      </div>
      <PhoneBar bench={bench} news={news} save={save} submitWords={submitWords} onMore={onMore} />
    </>
  );
}

function PhoneBar({ bench, news, save, submitWords, onMore }: Omit<ActionBarProps, "choices">) {
  const { draft, dispatch } = bench;
  const { ratings } = draft.content;
  const undo = commandNamed("undo");
  const row = bench.card?.row;
  const ratable = isRatable(draft.protocol, ratings, draft.focus);
  return (
    <footer className={classes.phoneBar}>
      <div className={classes.phoneTop}>
        <span>
          {row ? "A candidate for step" : "Step"} {draft.focus + 1} of {ratings.length}
          {!ratable && " · stays unlabelled"}
        </span>
        {news ? <NewsLine news={news} /> : <SaveIndicator {...save} />}
      </div>
      <RatingButtons
        className={classes.phoneRating}
        label={row ? "Rating of the candidate in focus" : `Rating of step ${draft.focus + 1}`}
        rating={row ? ratingOf(row, draft.content).rating : (ratings[draft.focus] ?? null)}
        reachable
        disabled={!ratable}
        onRate={(rating) => rateRow(bench, rating) || dispatch({ type: "rate", step: draft.focus, rating })}
      />
      <div className={classes.phoneActions}>
        <Button aria-label="Previous step" onClick={() => dispatch({ type: "focus", step: draft.focus - 1 })}>
          ↑
        </Button>
        <Button disabled={!undo.enabled(bench)} onClick={() => undo.run(bench)}>
          Undo
        </Button>
        <Button onClick={onMore}>More</Button>
        <Button kind="primary" onClick={bench.submit}>
          {submitWords}
        </Button>
      </div>
    </footer>
  );
}
