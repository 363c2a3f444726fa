import { useState } from "react";
import type { LabelAudit, LabelAuditReport } from "@/api/labelAuditTypes";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { countOf } from "@/ui/format";
import { useEndLabelAudit } from "./labelAuditQueries";

/** The button to undo a finished label audit. It says what will happen first. */
export function UndoLabelAudit({
  slug,
  labelAudit,
  report,
}: {
  slug: string;
  labelAudit: LabelAudit;
  report: LabelAuditReport;
}) {
  const [asking, setAsking] = useState(false);
  const end = useEndLabelAudit(slug, labelAudit.id);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Undo it…</Button>
      <ConfirmDialog
        opened={asking}
        title="Undo the label audit?"
        confirm="Undo the label audit"
        danger
        onConfirm={() => end.mutateAsync("undo")}
        onClose={() => setAsking(false)}
      >
        <p>{report.rulings === 0 ? "It made no ruling, so no task changes." : undoWords(report.rulings)}</p>
        <p>
          You can still read its reviews and its report. Exports, trainings and evaluation sets made since then do not
          change. The label audit cannot be finished again.
        </p>
      </ConfirmDialog>
    </>
  );
}

function undoWords(rulings: number): string {
  const withdrawn = rulings === 1 ? "Its ruling is withdrawn" : `Its ${countOf(rulings, "ruling")} are withdrawn`;
  return `${withdrawn}. Each of the tasks is unsettled again and asks for the labels that it still wants. Rulings that a reviewer made since then stay.`;
}
