import type { DiscardedStep, Path } from "@/api/pathTypes";
import type { Label } from "@/api/types";
import { type PathDock, pathCommandNamed, pathCommands } from "@/protocol/choose_step/commands";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import type { DeskThings } from "@/protocol/desk";
import { type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import { PathText } from "@/ui/trace/PathText";
import { Dock } from "./Dock";
import { Docks } from "./Docks";
import dialogClasses from "./dialogParts.module.css";
import classes from "./Path.module.css";
import { showRating } from "./RatingButtons";

interface PathDocksProps {
  name: PathDock;
  label: Label;
  path: Path;
  desk: DeskThings;
  onScratch: (text: string) => void;
  choices: KeyChoices;
  onChoices: (choices: KeyChoices) => void;
  onClose: () => void;
  onBack: () => void;
  onEnter: () => void;
  onLeave: () => void;
}

/** The docks that cover the problem of a path, one at a time. */
export function PathDocks({ name, path, ...props }: PathDocksProps) {
  if (name !== "history") return <Docks name={name} protocol={CHOOSE_STEP} list={pathCommands} {...props} />;
  const { choices, onClose, onEnter, onLeave } = props;
  const keyCap = showKey(keysOf(pathCommandNamed(name), choices)[0] ?? "");
  return (
    <Dock title="What was taken back" keyCap={keyCap} onClose={onClose} onEnter={onEnter} onLeave={onLeave}>
      <History path={path} />
    </Dock>
  );
}

/** "rated +1", or, with more than one completion, the rating of each. They are numbered as in the step itself. */
function ratingsWords({ ratings, chosen }: DiscardedStep): string {
  const [only] = ratings;
  if (only && ratings.length === 1) return `rated ${showRating(only.rating)}`;
  const each = ratings.map(
    ({ number, rating }, row) =>
      `completion ${row + 1} rated ${showRating(rating)}${number === chosen ? " (chosen)" : ""}`,
  );
  return each.join(", ");
}

/** The steps that were taken back, newest first, each with the ratings its completions had. */
function History({ path }: { path: Path }) {
  return (
    <>
      <p className={dialogClasses.quiet}>These steps are recorded with the label, but not part of its path.</p>
      <ol className={classes.discarded} reversed>
        {path.discarded.toReversed().map((one) => (
          <li key={`${one.at}/${one.step}`}>
            <small>
              Step {one.step + 1}, {one.source === "human" ? "written by you" : "chosen"}
              {one.ratings.length > 0 && ` · ${ratingsWords(one)}`}
            </small>
            <div className="read">
              <PathText text={one.text} raw={false} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
