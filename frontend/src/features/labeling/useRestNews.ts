import { useEffect, useState } from "react";
import type { News } from "@/ui/BottomLine";
import { extendStretch, restIsDue, thisTab } from "./workStretch";

/** Propose a break between two tasks after a long stretch, in the bottom line and without a dialog. */
export function useRestNews(minutes: number, keyCap: string, open: (name: "pause") => void): News | null {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const worked = () => {
      thisTab.stretch = extendStretch(thisTab.stretch, Date.now());
    };
    window.addEventListener("keydown", worked, true);
    window.addEventListener("pointerdown", worked, true);
    if (restIsDue(thisTab.stretch, minutes, thisTab.askedAt)) {
      thisTab.askedAt = Date.now();
      setDue(true);
    }
    return () => {
      window.removeEventListener("keydown", worked, true);
      window.removeEventListener("pointerdown", worked, true);
    };
  }, [minutes]);
  if (!due) return null;
  const actions = [
    { words: "a break", keyCap, run: () => open("pause") },
    { words: "Later", run: () => setDue(false) },
  ];
  return { words: `More than ${minutes} minutes without a break.`, actions };
}
