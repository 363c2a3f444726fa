import { WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import { ErrorNotice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import classes from "./labels.module.css";
import { changeWords } from "./labelWords";
import { useLabelChanges, useUndoLabelChange } from "./queries";

/** The latest changes to labels and who made them, each with a way to undo it. */
export function LabelChanges({ slug }: { slug: string }) {
  const changes = useLabelChanges(slug);
  const undo = useUndoLabelChange(slug);
  const rows = changes.data?.results ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel bare title="Done to labels" note="Nothing is deleted. The audit log records all of it, with names.">
      {undo.error && <ErrorNotice error={undo.error} />}
      <ul className={classes.changes}>
        {rows.map((change) => (
          <li key={change.id}>
            <span>
              {changeWords(change)}{" "}
              <small>
                by {change.by.display_name}, <RelativeTime at={change.at} />
                {change.undone_by && `; undone by ${change.undone_by.display_name}`}
              </small>
            </span>
            {!change.undone_at && (
              <WhileActive>
                <Button disabled={undo.isPending} onClick={() => undo.mutate(change.id)}>
                  Undo
                </Button>
              </WhileActive>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
