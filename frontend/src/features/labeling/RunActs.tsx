import { useQuery } from "@tanstack/react-query";
import type { Label } from "@/api/types";
import type { Act } from "@/protocol/runMarks";
import { Button } from "@/ui/Button";
import classes from "@/ui/run/run.module.css";
import { guidelineOfLabelQuery } from "./queries";

interface RunActsProps {
  label: Label;
  steps: number;
  /** The step that a new entry is about. */
  at: number;
  acts: readonly Act[];
  onChange: (acts: Act[]) => void;
}

/** Steps judged by clauses of the guidelines: against one, with a severity, or in line with it. */
export function RunActs({ label, steps, at, acts, onChange }: RunActsProps) {
  const version = label.guideline_version;
  const guideline = useQuery({ ...guidelineOfLabelQuery(label.project.slug, version), enabled: version > 0 });
  const clauses = guideline.data?.clauses ?? [];
  if (clauses.length === 0 && acts.length === 0) return null;
  const change = (place: number, said: Partial<Act>) =>
    onChange(acts.map((act, index) => (index === place ? { ...act, ...said } : act)));
  const add = () =>
    onChange([...acts, { step: at, clause: "", text: "", verdict: "against", severity: "", comment: "" }]);
  return (
    <fieldset className={classes.acts}>
      <legend>Steps judged by a guideline clause</legend>
      {acts.map((act, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its place
        <div key={place} className={classes.act}>
          <label>
            Step
            <select value={act.step} onChange={(event) => change(place, { step: Number(event.target.value) })}>
              {Array.from({ length: steps }, (_, step) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its place
                <option key={step} value={step}>
                  {step + 1}
                </option>
              ))}
            </select>
          </label>
          <label>
            Acts
            <select
              value={act.verdict}
              onChange={(event) => {
                const verdict = event.target.value as Act["verdict"];
                change(place, { verdict, ...(verdict === "in_line" && { severity: "" }) });
              }}
            >
              <option value="against">against</option>
              <option value="in_line">in line with</option>
            </select>
          </label>
          <label className={classes.clause}>
            Clause
            <select value={act.clause} onChange={(event) => change(place, { clause: event.target.value })}>
              <option value="">Choose a clause</option>
              {clauses.map(({ number, text }) => (
                <option key={number} value={number}>
                  {`${number} ${text}`}
                </option>
              ))}
            </select>
          </label>
          <label>
            Severity
            <select
              value={act.severity}
              disabled={act.verdict === "in_line"}
              onChange={(event) => change(place, { severity: event.target.value as Act["severity"] })}
            >
              <option value="">Not set</option>
              <option value="low">Low</option>
              <option value="medium">Medium</option>
              <option value="high">High</option>
              <option value="critical">Critical</option>
            </select>
          </label>
          <Button
            aria-label={`Remove line ${place + 1}`}
            onClick={() => onChange(acts.filter((_, index) => index !== place))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onClick={add}>Judge a step by a clause</Button>
    </fieldset>
  );
}
