import type { Path } from "@/api/pathTypes";
import type { Label } from "@/api/types";
import { type PathPanel, pathCommands } from "@/protocol/choose_step/commands";
import { CHOOSE_STEP } from "@/protocol/choose_step/rules";
import type { KeyChoices } from "@/protocol/keyMap";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { PathText } from "@/ui/trace/PathText";
import dialogClasses from "./dialogParts.module.css";
import { GuidelinesPanel } from "./GuidelinesPanel";
import { HelpSheet } from "./HelpSheet";
import classes from "./Path.module.css";
import type { PathContent } from "./pathDraft";
import { showRating } from "./RatingButtons";
import { BadProblemDialog, TextDialog } from "./ReasonDialogs";

interface PathPanelsProps {
  panel: PathPanel;
  label: Label;
  path: Path;
  content: PathContent;
  /** The place in the path that is in hand. */
  place: number;
  choices: KeyChoices;
  onChoices: (choices: KeyChoices) => void;
  onNote: (change: Partial<Pick<PathContent, "comments" | "reports" | "ending">>) => void;
  onClose: () => void;
  /** The dialog ended the path: submit it. */
  onFinished: () => void;
  onLeave: () => void;
}

/** The dialogs of a path, one at a time. */
export function PathPanels(props: PathPanelsProps) {
  const { panel, label, content, choices, onNote, onClose, onFinished } = props;
  const { ending } = content;
  switch (panel) {
    case "help":
      return (
        <Dialog title="Keys" onClose={onClose}>
          <HelpSheet protocol={CHOOSE_STEP} list={pathCommands} choices={choices} onChange={props.onChoices} />
        </Dialog>
      );
    case "guidelines":
      return (
        <Dialog title="Guidelines" onClose={onClose}>
          <GuidelinesPanel slug={label.project.slug} />
        </Dialog>
      );
    case "give_up":
      return (
        <TextDialog
          title="Give up on this path"
          intro="The path and the ratings given so far are kept. Giving up is better than guessing."
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
          initialKind={ending?.kind ?? null}
          initialText={ending?.finish === "bad_problem" ? ending.text : ""}
          onDone={(kind, text) => {
            onNote({ ending: { finish: "bad_problem", kind, text } });
            onFinished();
          }}
          onClose={onClose}
        />
      );
    case "comment":
      return <CommentDialog {...props} />;
    case "answer_wrong":
      return <AnswerDialog {...props} />;
    case "leave":
      return <LeaveDialog steps={props.path.steps.length} onLeave={props.onLeave} onClose={onClose} />;
    case "history":
      return <History path={props.path} onClose={onClose} />;
    default:
      return null;
  }
}

function CommentDialog({ content, place, onNote, onClose }: PathPanelsProps) {
  const { [place]: known = "", ...others } = content.comments;
  return (
    <TextDialog
      title={`Comment on step ${place + 1}`}
      field="Comment (researchers read it beside the label)"
      initial={known}
      optional
      action="Keep"
      onDone={(text) => {
        onNote({ comments: text === "" ? others : { ...others, [place]: text } });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function AnswerDialog({ content, onNote, onClose }: PathPanelsProps) {
  const others = content.reports.filter((report) => report.kind !== "answer_wrong");
  const known = content.reports.find((report) => report.kind === "answer_wrong");
  const keep = (reports: PathContent["reports"]) => {
    onNote({ reports });
    onClose();
  };
  return (
    <TextDialog
      title="The guess of the answer looks wrong"
      intro="This is a report to the researchers. Go on choosing the path as it should be."
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

function LeaveDialog({ steps, onLeave, onClose }: { steps: number; onLeave: () => void; onClose: () => void }) {
  return (
    <Dialog title="Leave this problem?" onClose={onClose}>
      <p>
        Somebody else may get it from its beginning.{" "}
        {steps > 0 && "Your path so far is kept: you can take it up again from My work."}
      </p>
      <div className={dialogClasses.actions}>
        <Button onClick={onClose}>Stay</Button>
        <Button kind="primary" data-first onClick={onLeave}>
          Leave, next
        </Button>
      </div>
    </Dialog>
  );
}

/** The steps that were taken back, newest first, each with what was said of its completions. */
function History({ path, onClose }: { path: Path; onClose: () => void }) {
  return (
    <Dialog title="What was taken back" shape="side" onClose={onClose}>
      <p className={dialogClasses.quiet}>These steps are in the record of the label, and not in its path.</p>
      <ol className={classes.discarded} reversed>
        {path.discarded.toReversed().map((one) => (
          <li key={`${one.at}/${one.step}`}>
            <small>
              Step {one.step + 1}, {one.source === "human" ? "written by you" : "chosen"}
              {one.ratings.length > 0 && ` · rated ${one.ratings.map(({ rating }) => showRating(rating)).join(" ")}`}
            </small>
            <div className="read">
              <PathText text={one.text} raw={false} />
            </div>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
