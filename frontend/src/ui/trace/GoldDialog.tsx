import { Dialog } from "@/ui/Dialog";
import { acceptableWords, GoldForm, type GoldSaid } from "./GoldForm";

interface Item extends GoldSaid {
  status: "active" | "retired";
}

/** What may be done about a trace's gold. */
export function goldVerb(item: Item | null): string {
  return item?.status === "active" ? "Edit" : "Make it gold";
}

/** Whether a trace is gold, in a sentence. */
export function goldNote(item: Item | null): string {
  if (item?.status === "active")
    return `Passes: ${acceptableWords(item.acceptable)}. Labelers cannot tell it from others.`;
  if (item) return "It was gold and has been retired.";
  return "If its first error is certain, a trace can check labelers. It is then never served as work.";
}

interface GoldDialogProps {
  steps: string[];
  /** Of an agent: it may have a decisive error. */
  run: boolean;
  item: Item | null;
  /** The first errors that are ticked at first where the trace never was gold. */
  guess: number[];
  /** The same of decisive errors. */
  guessDecisive?: number[];
  error: unknown;
  busy: boolean;
  onSave: (said: GoldSaid) => void;
  onClose: () => void;
}

/** Asks what passes on a trace that is to be gold, or is. */
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
