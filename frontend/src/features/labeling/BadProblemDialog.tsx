import { useKept } from "@/api/keptText";
import type { BadProblemKind } from "@/api/types";
import classes from "./dialogParts.module.css";
import { TextDialog } from "./ReasonDialogs";

const KINDS: [BadProblemKind, string][] = [
  ["missing_figure", "Needs a missing figure"],
  ["external_link", "Needs an external link"],
  ["false_premise", "Assumes something false or contradictory"],
  ["vague", "Does not say clearly what to find"],
  ["too_many_parts", "Four or more sub-questions"],
  ["other", "Something else"],
];

interface BadProblemDialogProps {
  keep: string;
  initialKind: BadProblemKind | null;
  initialText: string;
  onDone: (kind: BadProblemKind, text: string) => void;
  onClose: () => void;
}

export function BadProblemDialog({ keep, initialKind, initialText, onDone, onClose }: BadProblemDialogProps) {
  const [kind, setKind, forgetKind] = useKept<BadProblemKind | null>(`${keep}:kind`, initialKind);
  return (
    <TextDialog
      title="Bad problem"
      keep={keep}
      intro="The trace is set aside without a verdict. If only the recorded answer is wrong, use “the guess looks wrong” instead."
      field="Why?"
      initial={initialText}
      action="Bad problem, next"
      answered={kind !== null}
      problem={kind === null ? "Choose what is wrong with the problem." : undefined}
      onDone={(text) => {
        forgetKind();
        if (kind) onDone(kind, text);
      }}
      onClose={onClose}
    >
      <fieldset className={classes.kinds}>
        <legend>What is wrong with the problem?</legend>
        {KINDS.map(([value, words], index) => (
          <label key={value}>
            <input
              type="radio"
              name="kind"
              value={value}
              checked={kind === value}
              onChange={() => setKind(value)}
              data-first={(kind === null && index === 0) || undefined}
            />
            {words}
          </label>
        ))}
      </fieldset>
    </TextDialog>
  );
}
