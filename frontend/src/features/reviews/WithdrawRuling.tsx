import { useState } from "react";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { useWithdrawRuling } from "./queries";

/** The button to withdraw the ruling with this id. It says what will happen first. */
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
          The task is unsettled again: it waits for review if its labels differ, and asks for the labels that it still
          wants. You can read the ruling here under the earlier ones.
        </p>
        <p>Exports, trainings and evaluation sets made since then do not change.</p>
      </ConfirmDialog>
    </>
  );
}
