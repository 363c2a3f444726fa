import { useState } from "react";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { useWithdrawRuling } from "./queries";

/** Take the ruling of this id back: the button, and what it does before it does it. */
export function WithdrawRuling({
  slug,
  taskId,
  ruling,
  onDone,
}: {
  slug: string;
  taskId: number;
  ruling: number;
  onDone: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const withdraw = useWithdrawRuling(slug, taskId);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Withdraw the ruling…</Button>
      <ConfirmDialog
        opened={asking}
        title="Withdraw the ruling?"
        confirm="Withdraw the ruling"
        danger
        onConfirm={() => withdraw.mutateAsync({ ruling }, { onSuccess: onDone })}
        onClose={() => setAsking(false)}
      >
        <p>
          The task is again what it was before it was settled: it waits where its labels differ, and labels that it
          still wanted are asked for. The ruling can be read here as an earlier one.
        </p>
        <p>Exports, trainings and evaluation sets that were made meanwhile stay as they are.</p>
      </ConfirmDialog>
    </>
  );
}
