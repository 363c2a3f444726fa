import { useEffect, useState, useSyncExternalStore } from "react";
import { type Journal, openJournal } from "./journal";
import { type Outbox, type OutboxState, outboxOf } from "./outbox";

/** What this browser keeps for one person. */
export interface Desk {
  journal: Journal;
  outbox: Outbox;
}

/** The person's journal and outbox; null for the moment it takes to open them. */
export function useDesk(userId: number): Desk | null {
  const [desk, setDesk] = useState<Desk | null>(null);
  useEffect(() => {
    let wanted = true;
    void openJournal().then((journal) => wanted && setDesk({ journal, outbox: outboxOf(userId, journal) }));
    return () => {
      wanted = false;
    };
  }, [userId]);
  return desk;
}

export function useOutbox(outbox: Outbox): OutboxState {
  return useSyncExternalStore(outbox.subscribe, outbox.getState);
}
