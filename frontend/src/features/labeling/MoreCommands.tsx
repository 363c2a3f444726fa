import { Link } from "react-router";
import { type Command, type KeyChoices, keysOf } from "@/protocol/keyMap";
import { showKey } from "@/protocol/keys";
import classes from "./layout.module.css";

const ON_BUTTONS = ["rate_plus", "rate_zero", "rate_minus", "submit", "undo"];
const MOVED_BY_FINGER = ["next_step", "previous_step", "page_up", "page_down", "scroll_left", "scroll_right"];
const NONE: readonly string[] = [];

interface MoreCommandsProps<Bench> {
  slug: string;
  commands: readonly Command<Bench>[];
  bench: Bench;
  choices: KeyChoices;
  /** The names of further commands that have a place of their own on a phone. */
  elsewhere?: readonly string[];
  onDone: () => void;
}

/** Every command that has no button of its own on a phone. */
export function MoreCommands<Bench>(props: MoreCommandsProps<Bench>) {
  const { slug, commands, bench, choices, elsewhere = NONE, onDone } = props;
  const hidden = new Set([...ON_BUTTONS, ...MOVED_BY_FINGER, ...elsewhere]);
  return (
    <div className={classes.menu}>
      {commands
        .filter((command) => !hidden.has(command.name) && command.enabled(bench))
        .map((command) => (
          <button
            key={command.name}
            type="button"
            className={classes.command}
            onClick={() => {
              onDone();
              command.run(bench);
            }}
          >
            <kbd>{showKey(keysOf(command, choices)[0] ?? "")}</kbd>
            {command.title}
          </button>
        ))}
      <Link className={classes.command} to={`/projects/${slug}/my-work`}>
        My work
      </Link>
      <Link className={classes.command} to="/projects">
        All projects
      </Link>
    </div>
  );
}
