import { useEffect } from "react";
import { fetchedOnce } from "@/ui/partOfPage";

const fetchTools = fetchedOnce(() => import("./changedPlaces"));

/** Mark what a step changed since the step before it; null marks nothing. `onFault`: the code could not be fetched. */
export function useChanges(step: number | null, onFault: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another fault handler is no reason to fetch again
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
