import type { Prm } from "@/api/roundTypes";
import { StatusMark, type StatusTone } from "@/ui/StatusMark";
import { ErrorState, SkeletonLines } from "@/ui/states";
import classes from "./PrmChoice.module.css";
import { prmFacts, prmObstacle } from "./stagedForm";

const STATUSES: Record<Prm["status"], { name: string; tone: StatusTone }> = {
  ready: { name: "ready", tone: "good" },
  unchecked: { name: "not checked yet", tone: "quiet" },
  faulty: { name: "cannot be used", tone: "bad" },
  retired: { name: "retired", tone: "quiet" },
};

interface PrmChoiceProps {
  prms: { data: Prm[] | undefined; error: unknown; refetch: () => unknown };
  /** `undefined` if none is chosen yet. */
  value: number | null | undefined;
  onChange: (prm: number | null) => void;
}

/** The PRMs of the project, each with its state and, if it cannot be used, the reason; or no PRM at all. */
export function PrmChoice({ prms, value, onChange }: PrmChoiceProps) {
  if (prms.error && !prms.data) return <ErrorState inline error={prms.error} retry={() => void prms.refetch()} />;
  if (!prms.data) return <SkeletonLines lines={3} label="Loading the PRMs" />;
  return (
    <fieldset className={classes.prms}>
      <legend className="visually-hidden">PRM</legend>
      {prms.data.map((prm) => (
        <PrmOption key={prm.id} prm={prm} checked={value === prm.id} onChoose={() => onChange(prm.id)} />
      ))}
      <label className={classes.prm}>
        <input type="radio" name="prm" checked={value === null} onChange={() => onChange(null)} />
        <span className={classes.name}>
          <strong>None</strong>
        </span>
        <small>
          {prms.data.length === 0
            ? "There is no PRM yet. A project admin can connect one under PRMs. Until then, traces are chosen at random."
            : "Nothing is scored. Traces are chosen at random, as a baseline."}
        </small>
      </label>
    </fieldset>
  );
}

function PrmOption({ prm, checked, onChoose }: { prm: Prm; checked: boolean; onChoose: () => void }) {
  const obstacle = prmObstacle(prm);
  const { name, tone } = STATUSES[prm.status];
  return (
    <label className={classes.prm} data-disabled={obstacle !== null || undefined}>
      <input type="radio" name="prm" checked={checked} disabled={obstacle !== null} onChange={onChoose} />
      <span className={classes.name}>
        <strong>{prm.name}</strong>
        <StatusMark tone={tone}>{name}</StatusMark>
      </span>
      <small>{prmFacts(prm)}</small>
      {obstacle && <small className={classes.obstacle}>{obstacle}</small>}
    </label>
  );
}
