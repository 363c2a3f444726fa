import { type PageChoices, useChangePage, usePageChoices } from "@/api/preferences";
import { Button } from "@/ui/Button";
import classes from "./Dock.module.css";

interface Choice<Name extends keyof PageChoices> {
  name: Name;
  words: string;
  note?: string;
  options: readonly [PageChoices[Name], string][];
}

function choice<Name extends keyof PageChoices>(one: Choice<Name>): Choice<keyof PageChoices> {
  return one as unknown as Choice<keyof PageChoices>;
}

const READING = [
  choice({
    name: "text_size",
    words: "Text size",
    options: [90, 100, 115, 130, 150].map((size): [number, string] => [size, `${size} %`]),
  }),
  choice({
    name: "line_width",
    words: "Line width",
    options: [
      ["narrow", "narrow"],
      ["normal", "normal"],
      ["wide", "wide"],
    ],
  }),
  choice({
    name: "density",
    words: "Density",
    note: "Compact: 38 px a line, programs without gaps.",
    options: [
      ["comfortable", "comfortable"],
      ["compact", "compact"],
    ],
  }),
  choice({
    name: "calls",
    words: "Calculator calls",
    note: "As in GSM8K: <<3*4=12>>. A folded call is a small mark; raw text shows it.",
    options: [
      ["shown", "shown"],
      ["folded", "folded"],
    ],
  }),
  choice({
    name: "clock",
    words: "Times",
    note: "Next to finished steps and in the header. They are always measured.",
    options: [
      [true, "shown"],
      [false, "hidden"],
    ],
  }),
];

const WORKING = [
  choice({
    name: "dwell_seconds",
    words: "Read each step at least",
    note: "Earlier ratings are ignored.",
    options: [0, 1, 2, 3, 5].map((seconds): [number, string] => [seconds, seconds === 0 ? "off" : `${seconds} s`]),
  }),
  choice({
    name: "goal",
    words: "My goal a day",
    options: [0, 10, 20, 40, 80].map((goal): [number, string] => [goal, goal === 0 ? "none" : `${goal}`]),
  }),
  choice({
    name: "rest_minutes",
    words: "Propose a break after",
    options: [0, 25, 50, 90].map((minutes): [number, string] => [minutes, minutes === 0 ? "never" : `${minutes} min`]),
  }),
  choice({
    name: "tasks_ahead",
    words: "Tasks kept ahead",
    note: "You can label this many offline. You get fewer if others would be left without any.",
    options: [1, 2, 3, 5].map((count): [number, string] => [count, `${count}`]),
  }),
];

/** How the page looks and works for this person. Every choice takes effect at once, on every device. */
export function ComfortPanel() {
  const chosen = usePageChoices();
  const { change, reset, error } = useChangePage();
  const rows = (choices: readonly Choice<keyof PageChoices>[]) =>
    choices.map((one) => (
      <ChoiceRow
        key={one.name}
        choice={one}
        value={chosen[one.name]}
        onChoose={(value) => change({ [one.name]: value })}
      />
    ));
  return (
    <>
      <div className={classes.comfort}>
        <section>
          <h3 className="eyebrow">Reading</h3>
          {rows(READING)}
        </section>
        <section>
          <h3 className="eyebrow">Working</h3>
          {rows(WORKING)}
        </section>
      </div>
      <p>
        <Button onClick={reset}>Back to the defaults</Button>
      </p>
      {error && (
        <p className={classes.fault} role="alert">
          Not saved: {error.message}
        </p>
      )}
    </>
  );
}

interface ChoiceRowProps {
  choice: Choice<keyof PageChoices>;
  value: PageChoices[keyof PageChoices];
  onChoose: (value: PageChoices[keyof PageChoices]) => void;
}

function ChoiceRow({ choice: { name, words, note, options }, value, onChoose }: ChoiceRowProps) {
  return (
    <fieldset className={classes.choice}>
      <legend id={`comfort-${name}`}>{words}</legend>
      <div className={classes.options} role="radiogroup" aria-labelledby={`comfort-${name}`}>
        {options.map(([option, said]) => (
          // biome-ignore lint/a11y/useSemanticElements: the segments of one control, as the ratings are
          <button
            key={said}
            type="button"
            role="radio"
            aria-checked={option === value}
            onClick={() => onChoose(option)}
          >
            {said}
          </button>
        ))}
      </div>
      {note && <small>{note}</small>}
    </fieldset>
  );
}
