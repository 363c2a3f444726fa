import type { Label } from "@/api/types";
import type { OpenPanel } from "@/protocol/commands";
import type { Draft, DraftAction } from "@/protocol/draft";
import { explain } from "@/protocol/findings";
import type { Finding } from "@/protocol/interface";
import type { KeyChoices } from "@/protocol/keyMap";
import { hasFigure } from "@/ui/math/segments";
import { EarlierPanel } from "./EarlierPanel";
import { GuidelinesPanel } from "./GuidelinesPanel";
import { HelpSheet } from "./HelpSheet";
import { BadProblemDialog, TextDialog } from "./ReasonDialogs";

interface PanelsProps {
  panel: OpenPanel;
  /** The contradiction to confirm. */
  asked: Finding | null;
  label: Label;
  draft: Draft;
  dispatch: (action: DraftAction) => void;
  choices: KeyChoices;
  onChoices: (choices: KeyChoices) => void;
  onClose: () => void;
  /** The dialog finished the label: submit it. */
  onFinished: () => void;
}

/** The dialogs and side panels, one at a time. */
export function Panels({ panel, asked, label, draft, dispatch, choices, onChoices, onClose, onFinished }: PanelsProps) {
  const { content, focus } = draft;
  const act = (...actions: DraftAction[]) => {
    for (const action of actions) dispatch(action);
    onClose();
  };
  switch (panel) {
    case "help":
      return <HelpSheet protocol={draft.protocol} choices={choices} onChange={onChoices} onClose={onClose} />;
    case "guidelines":
      return <GuidelinesPanel slug={label.project.slug} onClose={onClose} />;
    case "earlier":
      return <EarlierPanel label={label} onClose={onClose} />;
    case "comment":
      return (
        <TextDialog
          title={`Comment on step ${focus + 1}`}
          field="Comment (researchers read it beside the label)"
          initial={content.comments[focus] ?? ""}
          optional
          action="Keep"
          onDone={(text) => act({ type: "comment", step: focus, text })}
          onClose={onClose}
        />
      );
    case "give_up":
      return (
        <TextDialog
          title="Give up on this trace"
          intro="The ratings given so far are kept. Giving up is better than guessing."
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
          initialKind={content.finishKind ?? (hasFigure(label.problem.text) ? "missing_figure" : null)}
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
            asked={asked}
            draft={draft}
            dispatch={dispatch}
            onClose={onClose}
            onFinished={onFinished}
          />
        )
      );
    case "answer_wrong":
    case "split_badly":
      return <ReportDialog kind={panel} draft={draft} act={act} onClose={onClose} />;
    default:
      return null;
  }
}

interface ReportDialogProps {
  kind: "answer_wrong" | "split_badly";
  draft: Draft;
  act: (...actions: DraftAction[]) => void;
  onClose: () => void;
}

function ReportDialog({ kind, draft, act, onClose }: ReportDialogProps) {
  const step = kind === "split_badly" ? draft.focus : null;
  const known = draft.content.reports.find((report) => report.kind === kind && report.step === step);
  const answer = kind === "answer_wrong";
  return (
    <TextDialog
      title={answer ? "The guess of the answer looks wrong" : `Step ${draft.focus + 1} is split badly`}
      intro={
        answer
          ? "This is a report to the researchers. Go on rating the steps as they are."
          : "For a step that holds several steps, or only a part of one. Rate it as it is."
      }
      field={answer ? "What should it be? (optional)" : "Where should it be split? (optional)"}
      initial={known?.text ?? ""}
      optional
      action="Report"
      remove={known ? () => act({ type: "withdrawReport", kind, step }) : undefined}
      onDone={(text) => act({ type: "report", report: { kind, step, text } })}
      onClose={onClose}
    />
  );
}

interface ConfirmContradictionProps {
  asked: Finding;
  draft: Draft;
  dispatch: (action: DraftAction) => void;
  onClose: () => void;
  onFinished: () => void;
}

function ConfirmContradiction({ asked, draft, dispatch, onClose, onFinished }: ConfirmContradictionProps) {
  const report = draft.content.reports.find((one) => one.kind === "answer_wrong");
  const aboutAnswer = asked.code === "solution_but_answer_wrong";
  return (
    <TextDialog
      title="Are you sure?"
      intro={`${explain(asked)} ${aboutAnswer ? "Look at the last steps once more, or say why both can be true." : "Say why it is a solution all the same."}`}
      field="Why is that so?"
      initial={aboutAnswer && report ? `The guess of the answer looks wrong. ${report.text}`.trim() : ""}
      action="Confirm and submit"
      onDone={(reason) => {
        dispatch({ type: "confirm", confirmation: { code: asked.code, reason } });
        onFinished();
      }}
      onClose={onClose}
    />
  );
}
