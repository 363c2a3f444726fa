import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Label } from "@/api/types";
import { getLabel } from "./queries";
import { type Queue, type Stock, stocked } from "./queue";

/**
 * Fetch the labels leased ahead one after the other, and keep them for when the network fails. A label leased singly by
 * a claim arrives with its answer, so it is already in the stock.
 */
export function useStock(kept: Map<number, Label>, queueKey: readonly unknown[], queue: Queue | undefined): void {
  const client = useQueryClient();
  const wanted = queue?.further.join() ?? "";
  const next = queue?.next ?? null;
  useEffect(() => {
    if (next) kept.set(next.id, next);
    let goesOn = true;
    const fetchAll = async () => {
      for (const id of wanted.split(",").filter(Boolean).map(Number)) {
        if (!goesOn) return;
        if (kept.has(id)) continue;
        kept.set(id, await getLabel(id));
        putIn(client, queueKey, kept);
      }
    };
    fetchAll().catch(() => undefined); // without a network there is nothing to do: the next claim asks again
    return () => {
      goesOn = false;
    };
  }, [client, kept, queueKey, wanted, next]);
}

function putIn(client: QueryClient, queueKey: readonly unknown[], stock: Stock): void {
  client.setQueryData<Queue>(queueKey, (old) => old && stocked(old, stock));
}
