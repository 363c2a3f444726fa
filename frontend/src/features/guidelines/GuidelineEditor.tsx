import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Link, useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import { fieldFault, otherFault } from "@/api/fieldFaults";
import { useKeptForm } from "@/api/keptForm";
import type { Guideline } from "@/api/types";
import { AsYouLeftIt } from "@/ui/AsYouLeftIt";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { Markdown } from "@/ui/Markdown";
import { ErrorNotice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { AGENT_RUNS } from "./agentRuns";
import classes from "./guidelines.module.css";
import { usePublishGuideline } from "./queries";

interface GuidelineEditorProps {
  slug: string;
  /** The name under which the text is kept until it is published. */
  keep: string;
  start: Guideline;
  /** The version in force when the text was opened. */
  newest: number;
  onDone: () => void;
}

/** The text next to how labelers will see it. Publishing creates a new version; versions are never changed. */
export function GuidelineEditor({ slug, keep, start, newest, onDone }: GuidelineEditorProps) {
  const publish = usePublishGuideline(slug);
  const navigate = useNavigate();
  // Kept with the version it was begun on, to tell authors who return after another version was published.
  const kept = useKeptForm(keep, () => ({ body: start.body, begun: null as number | null }));
  const { body } = kept.form;
  const [leaving, setLeaving] = useState(false);
  const [shown] = useDebouncedValue(body, 250);
  const changed = body !== start.body;
  useWarningBeforeLeaving(changed && !publish.isSuccess);

  // An author who publishes again after being told of another version does so knowingly.
  const [opened] = useState(newest);
  const known = kept.form.begun ?? opened;
  const setBody = (text: string) => kept.set({ body: text, begun: text === start.body ? null : known });
  const [another, setAnother] = useState<number | null>(null);
  const submit = () =>
    kept.sent(
      publish.mutateAsync(
        { body, after: known },
        {
          onError: (error) => {
            const version = error instanceof ApiError && error.code === "guideline_changed" ? error.body.version : null;
            if (typeof version !== "number") return;
            setAnother(version);
            kept.set({ begun: version });
          },
        },
      ),
      () => {
        onDone();
        void navigate({ search: "" }, { replace: true });
      },
    );
  return (
    <>
      <PageHeading
        title="Edit the guidelines"
        actions={
          <>
            <Button onClick={changed ? () => setLeaving(true) : onDone}>Cancel</Button>
            <Button kind="primary" disabled={!changed || body.trim() === "" || publish.isPending} onClick={submit}>
              {publish.isPending ? "Publishing…" : "Publish as a new version"}
            </Button>
          </>
        }
      />
      <AsYouLeftIt left={kept} />
      <ErrorNotice error={otherFault(publish.error, ["body"])} />
      {another !== null && (
        <p className={classes.version}>
          <Link to={`/projects/${slug}/guidelines?version=${another}`} target="_blank" rel="noreferrer">
            Read version {another} in a new tab
          </Link>
          . Your text stays here.
        </p>
      )}
      {body.trim() === "" && (
        <p className={classes.version}>
          Start with an empty page, or with: <Button onClick={() => setBody(AGENT_RUNS)}>Rules for agents’ runs</Button>
        </p>
      )}
      <div className={classes.editor}>
        <Textarea
          label="Markdown"
          description="Headings, lists, links, tables, and TeX between $ signs."
          name="body"
          autosize
          minRows={22}
          spellCheck
          data-autofocus
          value={body}
          error={fieldFault(publish.error, "body")}
          classNames={{ input: classes.source ?? "" }}
          onChange={(event) => setBody(event.currentTarget.value)}
        />
        <section aria-label="Preview">
          <p className={classes.previewName}>As labelers see it</p>
          <div className={classes.preview}>
            {shown.trim() === "" ? (
              <p className={classes.version}>Nothing to show yet.</p>
            ) : (
              <Markdown source={shown} />
            )}
          </div>
        </section>
      </div>
      <ConfirmDialog
        opened={leaving}
        title="Throw the changes away?"
        confirm="Throw away"
        danger
        onConfirm={async () => {
          kept.forget();
          onDone();
        }}
        onClose={() => setLeaving(false)}
      >
        Your changes have not been published and are not saved anywhere.
      </ConfirmDialog>
    </>
  );
}

function useWarningBeforeLeaving(active: boolean) {
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [active]);
}
