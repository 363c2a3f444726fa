import type { Draft, DraftAction } from "@/protocol/draft";
import { explain } from "@/protocol/findings";
import type { Finding } from "@/protocol/interface";
import { TextDialog } from "./ReasonDialogs";

interface ConfirmContradictionProps {
  label: number;
  asked: Finding;
  draft: Draft;
  dispatch: (action: DraftAction) => void;
  onClose: () => void;
  onFinished: () => void;
}

export function ConfirmContradiction({
  label,
  asked,
  draft,
  dispatch,
  onClose,
  onFinished,
}: ConfirmContradictionProps) {
  const report = draft.content.reports.find((one) => one.kind === "answer_wrong");
  const aboutAnswer = asked.code === "solution_but_answer_wrong";
  return (
    <TextDialog
      title="Is that so?"
      keep={`${label}:${asked.code}`}
      intro={`${explain(asked)} ${aboutAnswer ? "Some labels like this are questioned, on any task; yours may be right. Check the steps again for one that only seems right, or say why there is none." : "Say why it is a solution all the same."}`}
      field="Why?"
      initial={aboutAnswer && report ? `The guess of the answer looks wrong. ${report.text}`.trim() : ""}
      action="Confirm and submit"
      back="Back to the steps"
      onDone={(reason) => {
        dispatch({ type: "confirm", confirmation: { code: asked.code, reason } });
        onFinished();
      }}
      onClose={onClose}
    />
  );
}
