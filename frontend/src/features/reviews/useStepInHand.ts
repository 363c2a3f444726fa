import { useState } from "react";
import { firstToRate, isRatable } from "@/protocol/ratings";
import type { ReviewBench } from "./reviewCommands";
import { type RulingDraft, rateStep } from "./ruling";

interface StepInHand extends Pick<ReviewBench, "rate" | "clear" | "move"> {
  /** Null until a key has rated or moved, if there was no step to start with. */
  current: number | null;
  setCurrent: (step: number | null) => void;
}

/** The step of a reviewer's label that keys rate, and what the keys do to it. */
export function useStepInHand(
  draft: RulingDraft,
  setDraft: (draft: RulingDraft) => void,
  begin: number | null,
): StepInHand {
  const [current, setCurrent] = useState(begin);
  const { protocol, ratings } = draft;
  const at = current ?? firstToRate(protocol, ratings);
  const goTo = (step: number) => setCurrent(Math.min(ratings.length - 1, Math.max(0, step)));
  return {
    current,
    setCurrent,
    rate: (rating) => {
      const rated = rateStep(draft, at, rating);
      setDraft(rated);
      goTo(isRatable(protocol, rated.ratings, at + 1) ? at + 1 : at);
    },
    clear: () => {
      setDraft(rateStep(draft, at, null));
      goTo(at);
    },
    move: (by) => goTo(current === null ? at : at + by),
  };
}
