import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Label, Suggestions } from "@/api/types";
import { type CandidateRow, candidateRows } from "@/protocol/afterError";
import type { Draft } from "@/protocol/draft";
import { errorStep } from "@/protocol/ratings";
import { suggestionsQuery } from "./queries";
import { focusSoon, focusStep, returnToRow, rowInHand, rowOf } from "./stepsInSight";

/** The state of what machines write: none to come, coming, here, or failed. */
export type Coming = Suggestions["state"];

export interface MistakeCardState {
  rows: readonly CandidateRow[];
  /** The row in hand; null if the step is. */
  row: CandidateRow | null;
  coming: Coming;
  picking: boolean;
  goTo: (row: CandidateRow | null) => void;
  setPicking: (picking: boolean) => void;
}

/** Focus the row in hand or, without one, the step. */
export function focusInHand(step: number): void {
  returnToRow(rowInHand() ?? rowOf(step));
}

const NONE: readonly never[] = [];

/** The card at the label's error: its rows as they arrive, and which one is in hand. Null without an error. */
export function useMistakeCard(label: Label, draft: Draft): MistakeCardState | null {
  const error = errorStep(draft.protocol, draft.content.ratings);
  const asks = error >= 0 && label.after_error.suggests;
  const query = useQuery({ ...suggestionsQuery(label.id, Math.max(0, error)), enabled: asks });
  const [inHand, setInHand] = useState<{ step: number; key: string } | null>(null);
  const [picking, setPicking] = useState(false);

  const suggestions = query.data?.suggestions ?? NONE;
  const rows = useMemo(() => candidateRows(error, label.alternatives, suggestions), [error, label, suggestions]);
  const held = inHand?.step === error && draft.focus === error ? inHand.key : null;
  const row = rows.find((one) => one.key === held) ?? null;
  const goTo = useCallback(
    (to: CandidateRow | null) => {
      setInHand(to && { step: error, key: to.key });
      if (to) focusSoon(rowInHand);
      else focusStep(error);
    },
    [error],
  );
  if (error < 0) return null;
  const waiting = asks && query.isPending && query.fetchStatus === "fetching";
  const coming: Coming = query.isError ? "failed" : waiting ? "coming" : (query.data?.state ?? "none");
  return { rows, row, coming, picking, goTo, setPicking };
}
