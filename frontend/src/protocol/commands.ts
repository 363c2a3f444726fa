/**
 * The list of everything that the labeling page can do. Keys, buttons of the bar, the help sheet and key remapping are
 * all made from it.
 */
import type { Rating } from "@/api/types";
import type { Command } from "./keyMap";
import { clearRow, type MistakeBench, mistakeCommands, moveRow, rateRow } from "./mistakeCommands";
import { isRatable, nextToRate } from "./ratings";

/** Panels to read or write in next to the steps, over the problem; the panel's own key closes it again. */
export type DockName = "guidelines" | "earlier" | "help" | "comfort" | "scratch";
/** Written within the step it is about. */
export type InlineName = "comment" | "split_badly";
/** Entered in the bottom line. */
export type LineName = "search" | "jump" | "calculator";
/** Questions shown over the page. */
type DialogName = "give_up" | "bad_problem" | "answer_wrong" | "pause";
export type PanelName = DockName | InlineName | LineName | DialogName;

/** What is open over the page, one at a time; not all of these have a command. */
export type OpenPanel = DialogName | "more" | "confirm";

/** What a command can read and use. */
export interface Workbench extends MistakeBench {
  referenceAvailable: boolean;
  /** The number of the labeler's own labels of other traces of the problem. */
  earlierLabels: number;
  canUndoSubmission: boolean;
  open: (panel: PanelName) => void;
  /** Choose the earlier step that was wrong. */
  realise: () => void;
  /** Move by as many steps as the window shows; within a step taller than the window, scroll on in that step. */
  moveByPage: (direction: 1 | -1) => void;
  /** Scroll formulas that are too wide for their place: those of this step or, if it has none, of the problem. */
  scrollWide: (direction: 1 | -1) => void;
  toggleRaw: () => void;
  /** Mark what the focused step changed from the step before it. */
  toggleChanges: () => void;
  /** A letter or number that is marked everywhere it occurs. */
  tracing: {
    on: boolean;
    /** Trace another symbol of the focused step. */
    next: () => void;
    go: (by: 1 | -1) => void;
    end: () => void;
  };
  /** Open or fold the steps that may not be rated. */
  toggleLater: () => void;
  hasLater: boolean;
  /** The steps are those of an agent's run: long results are folded, and the labeler can mark the run as a whole. */
  isRun: boolean;
  sayOfRun: () => void;
  /** Copy the step's source; pressed again, its formulas one by one. */
  copyTex: () => void;
  showReference: () => void;
  submit: () => void;
  undoSubmission: () => void;
}

const always = () => true;

function rate(rating: Rating) {
  return (bench: Workbench) =>
    rateRow(bench, rating) || bench.dispatch({ type: "rate", step: bench.draft.focus, rating });
}

function focusIsRatable({ draft }: Workbench): boolean {
  return isRatable(draft.protocol, draft.content.ratings, draft.focus);
}

function panel(name: PanelName) {
  return ({ open }: Workbench) => open(name);
}

function move(by: 1 | -1) {
  return (bench: Workbench) => moveRow(bench, by) || bench.dispatch({ type: "focus", step: bench.draft.focus + by });
}

export const commands: readonly Command<Workbench>[] = [
  {
    name: "rate_plus",
    title: "Rate +1 and go on",
    short: "+1",
    group: "Rate",
    keys: ["space", "1"],
    enabled: focusIsRatable,
    run: rate(1),
  },
  {
    name: "rate_zero",
    title: "Rate 0 (neutral) and go on",
    short: "neutral",
    group: "Rate",
    keys: ["0"],
    enabled: focusIsRatable,
    run: rate(0),
  },
  {
    name: "rate_minus",
    title: "Rate −1: an error",
    short: "−1",
    group: "Rate",
    keys: ["x", "-"],
    enabled: focusIsRatable,
    run: rate(-1),
  },
  {
    name: "good_up_to_here",
    title: "Everything unrated up to this step is good",
    short: "good up to here",
    group: "Rate",
    keys: ["e"],
    enabled: focusIsRatable,
    run: ({ draft, dispatch }) => dispatch({ type: "goodUpTo", step: draft.focus }),
  },
  {
    name: "realise",
    title: "I just realised: an earlier step was wrong",
    short: "I just realised",
    group: "Rate",
    keys: ["r"],
    enabled: ({ draft }) => draft.focus > 0,
    run: ({ realise }) => realise(),
  },
  {
    name: "clear_rating",
    title: "Take back this step’s rating",
    group: "Rate",
    keys: ["backspace"],
    enabled: ({ draft }) => draft.content.ratings[draft.focus] !== null,
    run: (bench) => clearRow(bench) || bench.dispatch({ type: "clear", step: bench.draft.focus }),
  },
  {
    name: "undo",
    title: "Undo (up to 60 s also across submission)",
    short: "undo",
    group: "Rate",
    keys: ["z"],
    enabled: ({ draft, canUndoSubmission }) => draft.past.length > 0 || canUndoSubmission,
    run: ({ draft, dispatch, undoSubmission }) =>
      draft.past.length > 0 ? dispatch({ type: "undo" }) : undoSubmission(),
  },
  {
    name: "redo",
    title: "Redo",
    group: "Rate",
    keys: ["shift+z"],
    enabled: ({ draft }) => draft.future.length > 0,
    run: ({ dispatch }) => dispatch({ type: "redo" }),
  },
  {
    name: "next_step",
    title: "Next step",
    group: "Move",
    keys: ["j", "arrowdown"],
    repeats: true,
    enabled: always,
    run: move(1),
  },
  {
    name: "previous_step",
    title: "Previous step",
    group: "Move",
    keys: ["k", "arrowup"],
    repeats: true,
    enabled: always,
    run: move(-1),
  },
  {
    name: "next_unrated",
    title: "Next step without a rating",
    group: "Move",
    keys: ["."],
    enabled: ({ draft }) => nextToRate(draft.protocol, draft.content.ratings, draft.focus) >= 0,
    run: ({ draft, dispatch }) =>
      dispatch({ type: "focus", step: nextToRate(draft.protocol, draft.content.ratings, draft.focus) }),
  },
  {
    name: "first_step",
    title: "First step",
    group: "Move",
    keys: ["home", "shift+k"],
    enabled: always,
    run: ({ dispatch }) => dispatch({ type: "focus", step: 0 }),
  },
  {
    name: "last_step",
    title: "Last step",
    group: "Move",
    keys: ["end", "shift+j"],
    enabled: always,
    run: ({ draft, dispatch }) => dispatch({ type: "focus", step: draft.content.ratings.length - 1 }),
  },
  {
    name: "page_down",
    title: "One screen down",
    group: "Move",
    keys: ["pagedown"],
    repeats: true,
    enabled: always,
    run: ({ moveByPage }) => moveByPage(1),
  },
  {
    name: "page_up",
    title: "One screen up",
    group: "Move",
    keys: ["pageup"],
    repeats: true,
    enabled: always,
    run: ({ moveByPage }) => moveByPage(-1),
  },
  {
    name: "scroll_right",
    title: "More of a wide formula",
    group: "Move",
    keys: ["arrowright"],
    repeats: true,
    enabled: always,
    run: ({ scrollWide }) => scrollWide(1),
  },
  {
    name: "scroll_left",
    title: "Back in a wide formula",
    group: "Move",
    keys: ["arrowleft"],
    repeats: true,
    enabled: always,
    run: ({ scrollWide }) => scrollWide(-1),
  },
  ...mistakeCommands,
  {
    name: "trace_on",
    title: "Next place of the traced symbol",
    group: "Move",
    keys: ["]"],
    repeats: true,
    enabled: ({ tracing }) => tracing.on,
    run: ({ tracing }) => tracing.go(1),
  },
  {
    name: "trace_back",
    title: "Previous place of the traced symbol",
    group: "Move",
    keys: ["["],
    repeats: true,
    enabled: ({ tracing }) => tracing.on,
    run: ({ tracing }) => tracing.go(-1),
  },
  {
    name: "search",
    title: "Search in the trace",
    group: "Move",
    keys: ["/"],
    enabled: always,
    run: panel("search"),
  },
  {
    name: "jump",
    title: "Jump to a step by its number",
    group: "Move",
    keys: ["#"],
    enabled: always,
    run: panel("jump"),
  },
  {
    name: "later",
    title: "Open or fold: the steps after the stop, long results of a run",
    group: "Move",
    keys: ["o"],
    enabled: ({ hasLater, isRun }) => hasLater || isRun,
    run: ({ toggleLater }) => toggleLater(),
  },
  {
    name: "comment",
    title: "Comment on this step",
    short: "comment",
    group: "Say",
    keys: ["c"],
    enabled: always,
    run: panel("comment"),
  },
  {
    name: "answer_wrong",
    title: "The guess of the answer looks wrong",
    group: "Say",
    keys: ["a"],
    enabled: always,
    run: panel("answer_wrong"),
  },
  {
    name: "split_badly",
    title: "This step is split badly",
    group: "Say",
    keys: ["s"],
    enabled: always,
    run: panel("split_badly"),
  },
  { name: "bad_problem", title: "Bad problem", group: "Say", keys: ["b"], enabled: always, run: panel("bad_problem") },
  {
    name: "give_up",
    title: "Give up on this trace",
    short: "give up",
    group: "Say",
    keys: ["u"],
    enabled: always,
    run: panel("give_up"),
  },
  {
    name: "run_marks",
    title: "The run as a whole: decisive error, recovery, outcome, safety (Esc returns)",
    group: "Say",
    keys: ["shift+d"],
    enabled: ({ isRun }) => isRun,
    run: ({ sayOfRun }) => sayOfRun(),
  },
  {
    name: "look_again",
    title: "Look at this step again before submitting (only for you)",
    group: "Tools",
    keys: [";"],
    enabled: always,
    run: ({ draft, dispatch }) => dispatch({ type: "lookAgain", step: draft.focus }),
  },
  {
    name: "copy_tex",
    title: "Copy this step as TeX; again: its formulas",
    group: "Tools",
    keys: ["y"],
    enabled: always,
    run: ({ copyTex }) => copyTex(),
  },
  {
    name: "calculator",
    title: "Calculator (its use is recorded with the label)",
    group: "Tools",
    keys: ["="],
    enabled: always,
    run: panel("calculator"),
  },
  { name: "scratch", title: "Scratch pad", group: "Tools", keys: [","], enabled: always, run: panel("scratch") },
  {
    name: "raw",
    title: "Raw text or rendered",
    group: "Page",
    keys: ["t"],
    enabled: always,
    run: ({ toggleRaw }) => toggleRaw(),
  },
  {
    name: "changes",
    title: "Mark what a step changed from the one before",
    group: "Page",
    keys: ["d"],
    enabled: always,
    run: ({ toggleChanges }) => toggleChanges(),
  },
  {
    name: "trace_symbol",
    title: "Trace a symbol or number of this step; again: another",
    group: "Page",
    keys: ["w"],
    enabled: always,
    run: ({ tracing }) => tracing.next(),
  },
  {
    name: "trace_off",
    title: "Stop tracing (also Esc)",
    group: "Page",
    keys: ["shift+w"],
    enabled: ({ tracing }) => tracing.on,
    run: ({ tracing }) => tracing.end(),
  },
  { name: "guidelines", title: "Guidelines", group: "Page", keys: ["g"], enabled: always, run: panel("guidelines") },
  {
    name: "earlier",
    title: "Your earlier labels of this problem",
    group: "Page",
    keys: ["p"],
    enabled: ({ earlierLabels }) => earlierLabels > 0,
    run: panel("earlier"),
  },
  {
    name: "reference",
    title: "Show the reference solution (this is recorded)",
    group: "Page",
    keys: ["v"],
    enabled: ({ referenceAvailable }) => referenceAvailable,
    run: ({ showReference }) => showReference(),
  },
  {
    name: "comfort",
    title: "Text size, density, clock, goal",
    group: "Page",
    keys: ["shift+s"],
    enabled: always,
    run: panel("comfort"),
  },
  { name: "pause", title: "Take a break", group: "Page", keys: ["shift+b"], enabled: always, run: panel("pause") },
  { name: "help", title: "Keys and help", group: "Page", keys: ["?"], enabled: always, run: panel("help") },
  {
    name: "submit",
    title: "Submit and go on to the next task",
    group: "Page",
    keys: ["enter"],
    enabled: always,
    run: ({ submit }) => submit(),
  },
];

/** The command named `name`; a name that is not in the list is a programming error. */
export function commandNamed(name: string): Command<Workbench> {
  const command = commands.find((one) => one.name === name);
  if (!command) throw new Error(`There is no command "${name}".`);
  return command;
}
