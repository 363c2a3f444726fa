import { useEffect } from "react";
import { fetchedOnce } from "@/ui/partOfPage";

const fetchTools = fetchedOnce(() => import("./changedPlaces"));

/** Marks what a step changed against the step before it; null: nothing is marked. `onFault`: it could not be fetched. */
export function useChanges(step: number | null, onFault: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: how a fault is told is no reason to look again
  useEffect(() => {
    if (step === null) return;
    let [end, over] = [() => {}, false];
    fetchTools().then(({ watchChanges }) => {
      if (!over) end = watchChanges(step);
    }, onFault);
    return () => {
      over = true;
      end();
    };
  }, [step]);
}
