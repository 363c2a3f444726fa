import type { SetStateAction } from "react";
import { useKept } from "@/api/keptText";
import type { RulingDraft } from "./ruling";

type Change = (next: SetStateAction<RulingDraft>) => void;

/** A reviewer's label in progress, which outlives its page until it is sent. `key` says what it is a label of. */
export function useKeptRuling(key: string, begin: RulingDraft): [RulingDraft, Change, () => void] {
  const { protocol, ...fields } = begin;
  const [kept, setKept, forget] = useKept(key, fields);
  const change: Change = (next) =>
    setKept((before) => {
      const { protocol: _same, ...changed } = typeof next === "function" ? next({ ...before, protocol }) : next;
      return changed;
    });
  return [{ ...kept, protocol }, change, forget];
}
