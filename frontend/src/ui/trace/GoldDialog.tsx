import { Dialog } from "@/ui/Dialog";
import { acceptableWords, GoldForm, type GoldSaid } from "./GoldForm";

interface Item extends GoldSaid {
  status: "active" | "retired";
}

/** The action that is possible for a trace's gold. */
export function goldVerb(item: Item | null): string {
  return item?.status === "active" ? "Edit" : "Make it gold";
}

/** A sentence about whether the trace is gold. */
export function goldNote(item: Item | null): string {
  if (item?.status === "active")
    return `Passes: ${acceptableWords(item.acceptable)}. Labelers cannot tell it from others.`;
  if (item) return "It was gold and has been retired.";
  return "If its first error is certain, a trace can check labelers. It is then never served as work.";
}

interface GoldDialogProps {
  steps: string[];
  /** The trace is an agent's run, which may have a decisive error. */
  run: boolean;
  item: Item | null;
  /** The first errors ticked in advance if the trace was never gold. */
  guess: number[];
  /** The decisive errors ticked in advance. */
  guessDecisive?: number[];
  error: unknown;
  busy: boolean;
  onSave: (said: GoldSaid) => void;
  onClose: () => void;
}

/** Asks which answers pass on a trace that is gold or is to become gold. */
export function GoldDialog({
  steps,
  run,
  item,
  guess,
  guessDecisive = [],
  error,
  busy,
  onSave,
  onClose,
}: GoldDialogProps) {
  const active = item?.status === "active";
  return (
    <Dialog shape="wide" title={active ? "Edit gold" : "Make this trace gold"} onClose={onClose}>
      <GoldForm
        steps={steps}
        run={run}
        said={{
          acceptable: item?.acceptable ?? guess,
          acceptable_decisive: item?.acceptable_decisive ?? guessDecisive,
          explanation: item?.explanation ?? "",
          paragraph: item?.paragraph ?? "",
        }}
        save={active ? "Save" : "Make it gold"}
        error={error}
        busy={busy}
        onSave={onSave}
        onCancel={onClose}
      />
    </Dialog>
  );
}
