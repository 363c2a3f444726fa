import type { Path } from "@/api/pathTypes";
import type { PathDialog } from "@/protocol/choose_step/commands";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { hasFigure } from "@/ui/math/segments";
import { BadProblemDialog } from "./BadProblemDialog";
import { BreakDialog } from "./BreakDialog";
import dialogClasses from "./dialogParts.module.css";
import type { PathContent, PathNote } from "./pathDraft";
import { TextDialog } from "./ReasonDialogs";

interface PathPanelsProps {
  /** The label's id. */
  label: number;
  panel: Exclude<PathDialog, "more">;
  /** The problem's text. */
  problem: string;
  path: Path;
  content: PathContent;
  onNote: (change: PathNote) => void;
  onClose: () => void;
  /** The dialog ended the path: submit it. */
  onFinished: () => void;
  onLeave: () => void;
}

/** The dialogs of a path, one at a time. */
export function PathPanels(props: PathPanelsProps) {
  const { panel, label, problem, content, onNote, onClose, onFinished } = props;
  const { ending } = content;
  switch (panel) {
    case "give_up":
      return (
        <TextDialog
          title="Give up on this path"
          keep={`${label}:give_up`}
          intro="Your path and ratings are kept. Giving up is better than guessing."
          field="Why?"
          initial={ending?.finish === "give_up" ? ending.text : ""}
          action="Give up, next"
          onDone={(text) => {
            onNote({ ending: { finish: "give_up", kind: null, text } });
            onFinished();
          }}
          onClose={onClose}
        />
      );
    case "bad_problem":
      return (
        <BadProblemDialog
          keep={`${label}:bad_problem`}
          initialKind={ending?.kind ?? (hasFigure(problem) ? "missing_figure" : null)}
          initialText={ending?.finish === "bad_problem" ? ending.text : ""}
          onDone={(kind, text) => {
            onNote({ ending: { finish: "bad_problem", kind, text } });
            onFinished();
          }}
          onClose={onClose}
        />
      );
    case "answer_wrong":
      return <AnswerDialog {...props} />;
    case "leave":
      return <LeaveDialog begun={begun(props)} onLeave={props.onLeave} onClose={onClose} />;
    case "pause":
      return <BreakDialog onClose={onClose} />;
  }
}

function AnswerDialog({ label, content, onNote, onClose }: PathPanelsProps) {
  const others = content.reports.filter((report) => report.kind !== "answer_wrong");
  const known = content.reports.find((report) => report.kind === "answer_wrong");
  const keep = (reports: PathContent["reports"]) => {
    onNote({ reports });
    onClose();
  };
  return (
    <TextDialog
      title="The guess of the answer looks wrong"
      keep={`${label}:answer_wrong`}
      intro="This reports it to the researchers. Keep choosing the path as it should be."
      field="What should it be? (optional)"
      initial={known?.text ?? ""}
      optional
      action="Report"
      remove={known ? () => keep(others) : undefined}
      onDone={(text) => keep([...others, { kind: "answer_wrong", step: null, text }])}
      onClose={onClose}
    />
  );
}

/** Is there work in the path that a stray key must not leave? */
function begun({ path, content: { step, comments } }: PathPanelsProps): boolean {
  const typed = step.text !== "" || step.answer !== "" || Object.keys(step.said).length > 0;
  return path.can_undo || typed || Object.keys(comments).length > 0;
}

/** With work in the path, *Stay* has the focus: typed words may have opened the dialog, and they would press it. */
function LeaveDialog({ begun, onLeave, onClose }: { begun: boolean; onLeave: () => void; onClose: () => void }) {
  return (
    <Dialog title="Leave this problem?" onClose={onClose}>
      <p>Someone else may get it from the start. {begun && "Your path is kept: you can resume it from My work."}</p>
      <div className={dialogClasses.actions}>
        <Button data-first={begun || undefined} onClick={onClose}>
          Stay
        </Button>
        <Button kind="primary" data-first={!begun || undefined} onClick={onLeave}>
          Leave, next
        </Button>
      </div>
    </Dialog>
  );
}
