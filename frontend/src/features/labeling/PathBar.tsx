import { type PathBench, pathCommandNamed, pathCommands } from "@/protocol/choose_step/commands";
import { saidOf } from "@/protocol/choose_step/stepDraft";
import { type Command, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { BottomLine, type News, NewsLine } from "@/ui/BottomLine";
import { Button } from "@/ui/Button";
import layout from "./layout.module.css";
import { RatingButtons } from "./RatingButtons";
import { SaveIndicator, type SaveIndicatorProps } from "./SaveIndicator";

interface PathBarProps {
  bench: PathBench;
  choices: KeyChoices;
  save: SaveIndicatorProps;
  /** What is missing, or went wrong. */
  message: string;
  /** What was just done. */
  news: string;
  /** About the submission before this path. */
  before: News | null;
  onMore: () => void;
}

function submitWords({ path, sending }: PathBench): string {
  if (sending) return "Sending…";
  return path.open ? "Submit step" : "Submit, next";
}

/** Return the text of the line: what is missing or went wrong, else what was just done, else the news from before. */
function newsOf({ bench, choices, message, news, before }: PathBarProps): News | null {
  if (message !== "") return { words: message, tone: "ask" };
  if (news === "") return before;
  const undo = pathCommandNamed("undo");
  const takesBack = bench.path.can_undo && news.endsWith("submitted");
  const keyCap = showKey(keysOf(undo, choices)[0] ?? "");
  return { words: news, actions: takesBack ? [{ words: "take it back", keyCap, run: () => undo.run(bench) }] : [] };
}

/** The line at the bottom. Left: the keys that do something now. Right: where the work is, and what was submitted. */
export function PathBar(props: PathBarProps) {
  const { bench, choices, save, onMore } = props;
  const news = newsOf(props);
  const key = (command: Command<PathBench>) => showKey(keysOf(command, choices)[0] ?? "");
  return (
    <>
      <div className={layout.footer}>
        <BottomLine
          news={news}
          save={<SaveIndicator {...save} />}
          action={
            <Button kind="primary" disabled={bench.sending} onClick={bench.submit}>
              {submitWords(bench)} <kbd>{key(pathCommandNamed("submit"))}</kbd>
            </Button>
          }
        >
          {pathCommands
            .filter((command) => command.short)
            .map((command) => (
              <button
                key={command.name}
                type="button"
                className={layout.command}
                title={command.title}
                disabled={!command.enabled(bench)}
                onClick={() => command.run(bench)}
              >
                <kbd>{key(command)}</kbd>
                {command.short}
              </button>
            ))}
        </BottomLine>
      </div>
      <PhonePathBar bench={bench} save={save} news={news} onMore={onMore} />
    </>
  );
}

interface PhonePathBarProps extends Pick<PathBarProps, "bench" | "save" | "onMore"> {
  news: News | null;
}

function PhonePathBar({ bench, save, news, onMore }: PhonePathBarProps) {
  const { path, draft, row, sending } = bench;
  const completions = path.open?.completions ?? [];
  const one = completions[row];
  const undo = pathCommandNamed("undo");
  return (
    <footer className={layout.phoneBar}>
      <div className={layout.phoneTop}>
        <span>{phoneWords(bench, completions.length)}</span>
        {news ? <NewsLine news={news} /> : <SaveIndicator {...save} />}
      </div>
      <RatingButtons
        className={layout.phoneRating}
        label={`Rating of completion ${row + 1}`}
        rating={one ? saidOf(draft.content, one.number).rating : null}
        reachable
        disabled={!one || sending}
        onRate={(rating) => one && bench.dispatch({ type: "rate", row, number: one.number, rating })}
      />
      <div className={layout.phoneActions}>
        <Button aria-label="Previous" onClick={() => bench.dispatch({ type: "focus", row: row - 1 })}>
          ↑
        </Button>
        <Button disabled={!undo.enabled(bench)} onClick={() => undo.run(bench)}>
          Undo
        </Button>
        <Button onClick={onMore}>More</Button>
        <Button kind="primary" disabled={sending} onClick={bench.submit}>
          {submitWords(bench)}
        </Button>
      </div>
    </footer>
  );
}

function phoneWords({ path, row }: PathBench, shown: number): string {
  if (!path.open) return "End of the path";
  if (row < 0) return `Step ${path.steps.length + row + 1} of the path`;
  return shown === 0 ? `Step ${path.open.step + 1}` : `Step ${path.open.step + 1} · ${row + 1} of ${shown}`;
}
