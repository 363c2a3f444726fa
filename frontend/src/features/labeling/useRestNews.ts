import { useEffect, useState } from "react";
import type { News } from "@/ui/BottomLine";
import { restIsDue, sawWork, thisSpell } from "./spell";

/** Propose a break between two tasks after a long spell, in the bottom line and without a dialog. */
export function useRestNews(minutes: number, keyCap: string, open: (name: "pause") => void): News | null {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const worked = () => {
      thisSpell.spell = sawWork(thisSpell.spell, Date.now());
    };
    window.addEventListener("keydown", worked, true);
    window.addEventListener("pointerdown", worked, true);
    if (restIsDue(thisSpell.spell, minutes, thisSpell.askedAt)) {
      thisSpell.askedAt = Date.now();
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
