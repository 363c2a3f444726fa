/**
 * The list of everything that the page of a path can do. A command that the labeling page of a whole trace also has
 * keeps its name here, so it has the same keys, including those the person chose.
 */
import type { OpenStep, Path, Rated } from "@/api/pathTypes";
import type { Rating } from "@/api/types";
import { commandNamed, type DockName } from "@/protocol/commands";
import type { Binding, Command } from "@/protocol/keyMap";
import { great } from "./path";
import { isSettled, type StepAction, type StepDraft, saidOf } from "./stepDraft";

/** Panels to read or write in next to the path, over the problem; the panel's own key closes it again. */
export type PathDock = Exclude<DockName, "earlier"> | "history";
/** Questions shown over the page. */
export type PathDialog = "give_up" | "bad_problem" | "answer_wrong" | "leave" | "pause" | "more";
/** A comment is written under its step; the calculator is in the bottom line. */
export type PathPanel = PathDock | PathDialog | "comment" | "calculator";

/** What a command can read and use. */
export interface PathBench {
  path: Path;
  draft: StepDraft;
  /** The current row: completions count from 0, steps of the path are negative. */
  row: number;
  /** A step is being sent to the server. */
  sending: boolean;
  referenceAvailable: boolean;
  canUndoSubmission: boolean;
  dispatch: (action: StepAction) => void;
  showRest: () => void;
  /** Ask for as many more completions as a step of the round has. */
  askMore: () => void;
  write: () => void;
  /** Open or fold the steps of the path that are out of sight. */
  unfold: () => void;
  moveByPage: (direction: 1 | -1) => void;
  scrollWide: (direction: 1 | -1) => void;
  toggleRaw: () => void;
  /** A letter or number that is marked everywhere it occurs. */
  tracing: { on: boolean; next: () => void; go: (by: 1 | -1) => void; end: () => void };
  /** Mark the current step, or remove the mark. */
  lookAgain: () => void;
  /** Copy the source of the current row; pressed again, its formulas one by one. */
  copyTex: () => void;
  showReference: () => void;
  openPanel: (panel: PathPanel) => void;
  submit: () => void;
  /** Take back the last step submitted, or the label before this one. */
  takeBack: () => void;
}

/** The binding of the same command on the labeling page of a whole trace, with other words where a path needs them. */
function sameAs(name: string, changes: Partial<Pick<Binding, "title" | "short" | "group">> = {}): Binding {
  const { title, short, group, keys, repeats } = commandNamed(name);
  return { name, title, short, group, keys, repeats, ...changes };
}

const always = () => true;

function inHand({ path, row }: PathBench): Rated | null {
  return path.open?.completions[row] ?? null;
}

function rate(rating: Rating) {
  return (bench: PathBench) => {
    const one = inHand(bench);
    if (one) bench.dispatch({ type: "rate", row: bench.row, number: one.number, rating });
  };
}

function canRate(bench: PathBench): boolean {
  return !bench.sending && inHand(bench) !== null;
}

function move(by: number) {
  return ({ row, dispatch }: PathBench) => dispatch({ type: "focus", row: row + by });
}

function unratedRow({ path, draft, row }: PathBench): number {
  const rows = (path.open?.completions ?? []).flatMap(({ number }, at) =>
    isSettled(saidOf(draft.content, number)) ? [] : [at],
  );
  return rows.find((at) => at > row) ?? rows[0] ?? -1;
}

function canWrite({ path, draft, sending }: PathBench): boolean {
  const open: OpenStep | null = path.open;
  return open !== null && !sending && (open.may_write || great(open, draft.content).length === 0);
}

export const pathCommands: readonly Command<PathBench>[] = [
  { ...sameAs("rate_plus", { title: "Rate +1: great", short: "+1 great" }), enabled: canRate, run: rate(1) },
  { ...sameAs("rate_zero", { title: "Rate 0: okay", short: "okay" }), enabled: canRate, run: rate(0) },
  { ...sameAs("rate_minus", { title: "Rate −1: bad", short: "−1 bad" }), enabled: canRate, run: rate(-1) },
  {
    name: "unsure",
    title: "Unsure about this completion",
    short: "unsure",
    group: "Rate",
    keys: ["q"],
    enabled: canRate,
    run: (bench) => {
      const one = inHand(bench);
      if (one) bench.dispatch({ type: "unsure", number: one.number });
    },
  },
  {
    ...sameAs("clear_rating", { title: "Take back this completion’s rating" }),
    enabled: (bench) => canRate(bench) && isSettled(saidOf(bench.draft.content, inHand(bench)?.number ?? -1)),
    run: (bench) => {
      const one = inHand(bench);
      if (one) bench.dispatch({ type: "clear", number: one.number });
    },
  },
  {
    name: "more_completions",
    title: "Show the other completions; then ask for more",
    short: "more",
    group: "Rate",
    keys: ["m"],
    enabled: ({ path, sending }) => (path.open?.state === "first" || path.open?.may_ask_more === true) && !sending,
    run: ({ path, showRest, askMore }) => (path.open?.may_ask_more ? askMore() : showRest()),
  },
  {
    name: "write_step",
    title: "Write the step",
    short: "write",
    group: "Rate",
    keys: ["i"],
    enabled: canWrite,
    run: ({ write }) => write(),
  },
  {
    ...sameAs("undo", { title: "Undo; then take back the step before (up to 60 s also across submission)" }),
    enabled: ({ path, draft, canUndoSubmission }) => draft.past.length > 0 || path.can_undo || canUndoSubmission,
    run: ({ draft, dispatch, takeBack }) => (draft.past.length > 0 ? dispatch({ type: "undo" }) : takeBack()),
  },
  {
    ...sameAs("redo"),
    enabled: ({ draft }) => draft.future.length > 0,
    run: ({ dispatch }) => dispatch({ type: "redo" }),
  },
  { ...sameAs("next_step", { title: "Next completion" }), enabled: always, run: move(1) },
  { ...sameAs("previous_step", { title: "Previous completion; then up the path" }), enabled: always, run: move(-1) },
  {
    ...sameAs("next_unrated", { title: "Next completion without a rating" }),
    enabled: (bench) => unratedRow(bench) >= 0,
    run: (bench) => bench.dispatch({ type: "focus", row: unratedRow(bench) }),
  },
  {
    ...sameAs("first_step", { title: "First step of the path" }),
    enabled: ({ path }) => path.steps.length > 0,
    run: ({ path, dispatch }) => dispatch({ type: "focus", row: -path.steps.length }),
  },
  {
    ...sameAs("last_step", { title: "Last completion" }),
    enabled: ({ path }) => path.open !== null,
    run: ({ path, dispatch }) => dispatch({ type: "focus", row: (path.open?.completions.length ?? 1) - 1 }),
  },
  { ...sameAs("page_down"), enabled: always, run: ({ moveByPage }) => moveByPage(1) },
  { ...sameAs("page_up"), enabled: always, run: ({ moveByPage }) => moveByPage(-1) },
  { ...sameAs("scroll_right"), enabled: always, run: ({ scrollWide }) => scrollWide(1) },
  { ...sameAs("scroll_left"), enabled: always, run: ({ scrollWide }) => scrollWide(-1) },
  {
    name: "unfold",
    title: "Open or fold the path",
    group: "Move",
    keys: ["o"],
    enabled: ({ path }) => path.steps.length > 0,
    run: ({ unfold }) => unfold(),
  },
  {
    name: "history",
    title: "What was taken back",
    group: "Move",
    keys: ["h"],
    enabled: ({ path }) => path.discarded.length > 0,
    run: ({ openPanel }) => openPanel("history"),
  },
  { ...sameAs("trace_on"), enabled: ({ tracing }) => tracing.on, run: ({ tracing }) => tracing.go(1) },
  { ...sameAs("trace_back"), enabled: ({ tracing }) => tracing.on, run: ({ tracing }) => tracing.go(-1) },
  { ...sameAs("comment"), short: undefined, enabled: always, run: ({ openPanel }) => openPanel("comment") },
  { ...sameAs("answer_wrong"), enabled: always, run: ({ openPanel }) => openPanel("answer_wrong") },
  { ...sameAs("bad_problem"), enabled: always, run: ({ openPanel }) => openPanel("bad_problem") },
  {
    ...sameAs("give_up", { title: "Give up on this path" }),
    enabled: always,
    run: ({ openPanel }) => openPanel("give_up"),
  },
  {
    name: "leave",
    title: "Leave the problem to someone else",
    group: "Say",
    keys: ["l"],
    enabled: ({ sending }) => !sending,
    run: ({ openPanel }) => openPanel("leave"),
  },
  { ...sameAs("look_again"), enabled: always, run: ({ lookAgain }) => lookAgain() },
  { ...sameAs("copy_tex"), enabled: always, run: ({ copyTex }) => copyTex() },
  { ...sameAs("calculator"), enabled: always, run: ({ openPanel }) => openPanel("calculator") },
  { ...sameAs("scratch"), enabled: always, run: ({ openPanel }) => openPanel("scratch") },
  { ...sameAs("raw"), enabled: always, run: ({ toggleRaw }) => toggleRaw() },
  { ...sameAs("trace_symbol"), enabled: always, run: ({ tracing }) => tracing.next() },
  { ...sameAs("trace_off"), enabled: ({ tracing }) => tracing.on, run: ({ tracing }) => tracing.end() },
  { ...sameAs("guidelines"), enabled: always, run: ({ openPanel }) => openPanel("guidelines") },
  {
    ...sameAs("reference"),
    enabled: ({ referenceAvailable }) => referenceAvailable,
    run: ({ showReference }) => showReference(),
  },
  { ...sameAs("comfort"), enabled: always, run: ({ openPanel }) => openPanel("comfort") },
  { ...sameAs("pause"), enabled: always, run: ({ openPanel }) => openPanel("pause") },
  { ...sameAs("help"), enabled: always, run: ({ openPanel }) => openPanel("help") },
  {
    ...sameAs("submit", { title: "Submit the step; at the end, the path" }),
    enabled: ({ sending }) => !sending,
    run: ({ submit }) => submit(),
  },
];

/** The path command named `name`; a name that is not in the list is a programming error. */
export function pathCommandNamed(name: string): Command<PathBench> {
  const command = pathCommands.find((one) => one.name === name);
  if (!command) throw new Error(`There is no command "${name}" on the page of a path.`);
  return command;
}
