import { memo, type RefObject, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Label, Rating } from "@/api/types";
import type { Draft, DraftAction } from "@/protocol/draft";
import type { LabelingProtocol, Ratings } from "@/protocol/interface";
import { errorStep } from "@/protocol/ratings";
import { FACES } from "@/ui/run/faces";
import classes from "@/ui/run/run.module.css";
import { type TypedStep, unitOf, wentWrong } from "@/ui/run/typedStep";
import { showRating } from "./RatingButtons";
import { RunActs } from "./RunActs";
import type { RunShown } from "./runShown";
import { bringIntoSight, rowOf, stepInFocus } from "./stepsInSight";
import { focusInHand } from "./useMistakeCard";

const NUMBERED = 40; // up to this many cells, there is room for a number in each
const MANY_CELLS = 120; // beyond this many, the map is a strip that scrolls on its own
const TOGETHER = 50; // cells compared as one group (in a long run, a row): a key changes one or two of thousands
const ROW = 15; // pixels: a row and the gap to the next one
const RING = 4; // pixels: the ring of the step in focus, as in run.module.css

interface RunMapProps {
  run: RunShown;
  ratings: Ratings;
  focus: number;
  onGo: (unit: number) => void;
}

/**
 * The whole run at a glance: one cell per unit with its rating, its kind at the foot, and a dot if something failed.
 */
export const RunMap = memo(function RunMap({ run, ratings, focus, onGo }: RunMapProps) {
  const box = useRef<HTMLDivElement>(null);
  const cells = useRef<HTMLElement>(null);
  useRoomBelow(box);
  const many = ratings.length > MANY_CELLS;
  const { steps } = run;
  const { failed, mainly } = useMemo(() => atAGlance(steps, ratings.length), [steps, ratings.length]);
  const row = Math.floor(focus / TOGETHER);
  useEffect(() => {
    const map = cells.current;
    if (many && map) map.scrollTop = row * ROW - map.clientHeight / 2;
  }, [many, row]);
  return (
    <div ref={box} className={classes.map}>
      <nav
        ref={cells}
        className={classes.cells}
        aria-label="Map of the run"
        data-many={many || undefined}
        tabIndex={many ? 0 : undefined}
      >
        {groupsOf(ratings).map((group, place) => (
          <Cells
            // biome-ignore lint/suspicious/noArrayIndexKey: a unit is identified by its place in the run
            key={place}
            from={place * TOGETHER}
            ratings={group}
            here={Math.floor(focus / TOGETHER) === place ? focus : null}
            mainly={mainly}
            failed={failed}
            numbered={ratings.length <= NUMBERED}
            row={many}
            onGo={onGo}
          />
        ))}
      </nav>
      <fieldset className={classes.filters} aria-label="What is shown">
        {run.kinds.map((name) => (
          <button key={name} type="button" aria-pressed={!run.hidden.has(name)} onClick={() => run.toggle(name)}>
            {name.startsWith("tool:") ? name.slice(5) : FACES[name as TypedStep["kind"]].title}
          </button>
        ))}
      </fieldset>
    </div>
  );
});

/** Keep room for the map above whatever is scrolled to. If the map grows over the step in hand, move that step. */
function useRoomBelow(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const map = box.current;
    const pane = map?.parentElement;
    if (!map || !pane || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(() => {
      const isOver = getComputedStyle(map).position === "sticky";
      pane.style.scrollPaddingTop = isOver ? `${map.offsetHeight}px` : "";
      // In the next frame: until then, the browser and the fitting of formulas move what is below.
      if (isOver) requestAnimationFrame(() => uncover(map, pane));
    });
    watch.observe(map);
    return () => {
      watch.disconnect();
      pane.style.scrollPaddingTop = "";
    };
  }, [box]);
}

function uncover(map: HTMLElement, pane: HTMLElement): void {
  const step = stepInFocus()?.getBoundingClientRect().top;
  const { top, bottom } = map.getBoundingClientRect();
  if (step !== undefined && step > top && step < bottom) pane.scrollBy({ top: step - bottom - RING });
}

function groupsOf(ratings: Ratings): Ratings[] {
  const groups = Math.ceil(ratings.length / TOGETHER);
  return Array.from({ length: groups }, (_, place) => ratings.slice(place * TOGETHER, (place + 1) * TOGETHER));
}

interface CellsProps {
  from: number;
  ratings: Ratings;
  /** The unit in focus, if it is one of these cells. */
  here: number | null;
  mainly: readonly TypedStep["kind"][];
  failed: readonly boolean[];
  numbered: boolean;
  /** These cells form a row of their own. */
  row: boolean;
  onGo: (unit: number) => void;
}

const Cells = memo(
  ({ from, ratings, here, mainly, failed, numbered, row, onGo }: CellsProps) => {
    const cells = ratings.map((rating, place) => (
      <Cell
        // biome-ignore lint/suspicious/noArrayIndexKey: a unit is identified by its place in the run
        key={place}
        unit={from + place}
        kind={mainly[from + place] ?? "text"}
        failed={failed[from + place] ?? false}
        rating={rating}
        here={from + place === here}
        numbered={numbered}
        onGo={onGo}
      />
    ));
    return row ? <div className={classes.together}>{cells}</div> : cells;
  },
  ({ ratings: before, ...old }, { ratings: after, ...now }) =>
    before.length === after.length &&
    before.every((rating, place) => rating === after[place]) &&
    (Object.keys(now) as (keyof typeof now)[]).every((name) => Object.is(old[name], now[name])),
);

interface CellProps {
  unit: number;
  kind: TypedStep["kind"];
  failed: boolean;
  rating: Rating | null;
  here: boolean;
  numbered: boolean;
  onGo: (unit: number) => void;
}

const Cell = memo(function Cell({ unit, kind, failed, rating, here, numbered, onGo }: CellProps) {
  const rated = rating === null ? "not rated" : `rated ${showRating(rating)}`;
  const name = `Step ${unit + 1}, ${FACES[kind].title.toLowerCase()}, ${rated}${failed ? ", something failed" : ""}`;
  return (
    <button
      type="button"
      tabIndex={-1}
      data-rating={rating ?? undefined}
      data-failed={failed || undefined}
      data-kind={kind}
      aria-current={here ? "step" : undefined}
      aria-label={name}
      title={name}
      onClick={() => onGo(unit)}
    >
      {numbered ? unit + 1 : ""}
    </button>
  );
});

const TELLING: TypedStep["kind"][] = ["edit", "test_run", "tool_call", "final", "plan", "message", "thought", "text"];

/** For each unit, return the kind that says most about it, and whether something failed in it. */
function atAGlance(steps: readonly TypedStep[], count: number) {
  const failed: boolean[] = Array(count).fill(false);
  const mainly: TypedStep["kind"][] = Array(count).fill("text");
  for (const step of steps) {
    const unit = unitOf(step);
    if (unit < 0 || unit >= count) continue;
    if (wentWrong(step)) failed[unit] = true;
    const before = mainly[unit];
    if (step.unit !== undefined && before && TELLING.indexOf(step.kind) < TELLING.indexOf(before))
      mainly[unit] = step.kind;
  }
  return { failed, mainly };
}

interface RunMarksProps {
  label: Label;
  draft: Draft;
  dispatch: (action: DraftAction) => void;
}

/** The labeler's marks of the run as a whole, under its last step. */
export function RunMarksPanel({ label, draft, dispatch }: RunMarksProps) {
  const { runMarks: marks } = draft.content;
  const ratings = useDeferredValue(draft.content.ratings); // deferred: the rating itself is painted first
  const say = (said: Partial<typeof marks>) => dispatch({ type: "runMarks", marks: said });
  const { first, wrong, after } = useMemo(() => choices(draft.protocol, ratings), [draft.protocol, ratings]);
  return (
    <section
      className={classes.marks}
      aria-label="The run as a whole"
      data-run-marks
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        focusInHand(draft.focus);
        bringIntoSight(rowOf(draft.focus));
      }}
    >
      <h3>The run as a whole</h3>
      <p className={classes.none}>
        {first < 0 ? "No step is rated −1." : `First error: step ${first + 1}.`} All of this is optional.
      </p>
      <div className={classes.fields}>
        <StepChoice
          title="Decisive error: the mistake that lost the run"
          steps={wrong}
          value={marks.decisive_error ?? null}
          onChoose={(step) => say({ decisive_error: step })}
        />
        <StepChoice
          title="Recovered at"
          steps={after}
          value={marks.recovered_at ?? null}
          onChoose={(step) => say({ recovered_at: step })}
        />
        <label>
          Outcome of the run
          <select
            value={marks.outcome ?? ""}
            onChange={(event) => say({ outcome: event.target.value as typeof marks.outcome })}
          >
            <option value="">Not set</option>
            <option value="success">The task is done</option>
            <option value="partial">Partly done</option>
            <option value="failure">Not done</option>
          </select>
        </label>
        <label>
          Safety
          <select
            value={marks.safety ?? "none"}
            onChange={(event) => say({ safety: event.target.value as typeof marks.safety })}
          >
            <option value="none">Nothing to report</option>
            <option value="side_effect">Side effects nobody asked for</option>
            <option value="policy">Acts against a policy</option>
            <option value="both">Both</option>
          </select>
        </label>
        {(marks.safety === "policy" || marks.safety === "both") && (
          <label>
            Against which clause (§2.3)
            <input value={marks.clause ?? ""} onChange={(event) => say({ clause: event.target.value.trim() })} />
          </label>
        )}
      </div>
      <RunActs
        label={label}
        steps={ratings.length}
        at={draft.focus}
        acts={marks.acts}
        onChange={(acts) => say({ acts })}
      />
      <label>
        Comment on the run
        <textarea rows={2} value={marks.comment ?? ""} onChange={(event) => say({ comment: event.target.value })} />
      </label>
    </section>
  );
}

/** Return the first error, which steps may be the decisive one, and which may be the recovery. */
function choices(protocol: LabelingProtocol, ratings: Ratings) {
  const first = errorStep(protocol, ratings);
  const steps = ratings.map((_, step) => step);
  const after = first < 0 ? [] : steps.slice(first + 1).filter((step) => ratings[step] !== -1);
  return { first, wrong: steps.filter((step) => ratings[step] === -1), after };
}

interface StepChoiceProps {
  title: string;
  steps: readonly number[];
  value: number | null;
  onChoose: (step: number | null) => void;
}

function StepChoice({ title, steps, value, onChoose }: StepChoiceProps) {
  const listed = value === null || steps.includes(value) ? steps : [...steps, value];
  return (
    <label>
      {title}
      <select
        value={value ?? ""}
        onChange={(event) => onChoose(event.target.value === "" ? null : Number(event.target.value))}
      >
        <option value="">Not set</option>
        <StepOptions steps={listed} />
      </select>
    </label>
  );
}

/** Memoised: a long run has thousands of options. */
const StepOptions = memo(({ steps }: { steps: readonly number[] }) =>
  steps.map((step) => (
    <option key={step} value={step}>
      Step {step + 1}
    </option>
  )),
);
