import type { OpenPanel } from "@/protocol/commands";
import type { Draft, DraftAction } from "@/protocol/draft";
import type { Finding } from "@/protocol/interface";
import { hasFigure } from "@/ui/math/segments";
import { partOfPage } from "@/ui/partOfPage";
import { TextDialog } from "./ReasonDialogs";

/**
 * Loaded separately, because neither takes typing at once: one starts with a choice, the other comes at a label's end.
 */
const BadProblemDialog = partOfPage(async () => (await import("./BadProblemDialog")).BadProblemDialog);
const ConfirmContradiction = partOfPage(async () => (await import("./ConfirmContradiction")).ConfirmContradiction);

interface PanelsProps {
  /** The label's id. */
  label: number;
  panel: OpenPanel;
  /** The contradiction to confirm. */
  asked: Finding | null;
  /** The problem's text. */
  problem: string;
  draft: Draft;
  dispatch: (action: DraftAction) => void;
  onClose: () => void;
  /** The dialog finished the label: submit it. */
  onFinished: () => void;
}

/** The dialogs over the page, one at a time. */
export function Panels({ label, panel, asked, problem, draft, dispatch, onClose, onFinished }: PanelsProps) {
  const { content } = draft;
  const act = (...actions: DraftAction[]) => {
    for (const action of actions) dispatch(action);
    onClose();
  };
  switch (panel) {
    case "give_up":
      return (
        <TextDialog
          title="Give up on this trace"
          keep={`${label}:give_up`}
          intro="Your ratings are kept. Giving up is better than guessing."
          field="Why?"
          initial={content.finish === "give_up" ? content.finishText : ""}
          action="Give up, next"
          onDone={(text) => {
            dispatch({ type: "finish", finish: "give_up", text });
            onFinished();
          }}
          onClose={onClose}
        />
      );
    case "bad_problem":
      return (
        <BadProblemDialog
          keep={`${label}:bad_problem`}
          initialKind={content.finishKind ?? (hasFigure(problem) ? "missing_figure" : null)}
          initialText={content.finish === "bad_problem" ? content.finishText : ""}
          onDone={(kind, text) => {
            dispatch({ type: "finish", finish: "bad_problem", kind, text });
            onFinished();
          }}
          onClose={onClose}
        />
      );
    case "confirm":
      return (
        asked && (
          <ConfirmContradiction
            label={label}
            asked={asked}
            draft={draft}
            dispatch={dispatch}
            onClose={onClose}
            onFinished={onFinished}
          />
        )
      );
    case "answer_wrong":
      return <AnswerDialog label={label} draft={draft} act={act} onClose={onClose} />;
    default:
      return null;
  }
}

interface AnswerDialogProps {
  label: number;
  draft: Draft;
  act: (...actions: DraftAction[]) => void;
  onClose: () => void;
}

function AnswerDialog({ label, draft, act, onClose }: AnswerDialogProps) {
  const kind = "answer_wrong";
  const known = draft.content.reports.find((report) => report.kind === kind);
  return (
    <TextDialog
      title="The guess of the answer looks wrong"
      keep={`${label}:answer_wrong`}
      intro="This reports it to the researchers. Keep rating the steps as they are."
      field="What should it be? (optional)"
      initial={known?.text ?? ""}
      optional
      action="Report"
      remove={known ? () => act({ type: "withdrawReport", kind, step: null }) : undefined}
      onDone={(text) => act({ type: "report", report: { kind, step: null, text } })}
      onClose={onClose}
    />
  );
}
