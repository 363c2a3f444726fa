import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useProject } from "@/api/projects";
import type { Grading, GradingScope } from "@/api/roundTypes";
import { WhileActive } from "@/ui/ActiveProject";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { Choices, FormButtons } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import classes from "./gradings.module.css";
import { isDiscarded, kindWords, SCOPES, scopeName, standing } from "./gradingWords";
import { useCreateGrading, useGradings } from "./queries";

const columns: TableColumn<Grading>[] = [
  {
    name: "Grading",
    main: true,
    cell: (grading) => (
      <>
        <RowLink to={String(grading.id)}>{scopeName(grading.scope)}</RowLink>
        <small className={classes.standing}>{standing(grading)}</small>
      </>
    ),
  },
  {
    name: "State",
    cell: (grading) => (
      <>
        {isDiscarded(grading) ? <StatusMark tone="quiet">discarded</StatusMark> : <JobMark status={grading.status} />}
        {grading.can_apply && grading.differences > 0 && <small className={classes.standing}>not applied</small>}
      </>
    ),
  },
  { name: "Differ", align: "right", cell: (grading) => formatCount(grading.differences) },
  { name: "By", cell: (grading) => grading.created_by?.display_name ?? "the machine" },
  { name: "When", cell: (grading) => <RelativeTime at={grading.created_at} /> },
];

/** Start a grading, or look at earlier ones. */
export function GradingsPage() {
  const { slug = "" } = useParams();
  const gradings = useGradings(slug);
  return (
    <>
      <PageHeading title="Gradings" />
      <WhileActive>
        <StartPanel slug={slug} />
      </WhileActive>
      <Panel bare title="Earlier gradings">
        <PagedTable
          caption="Gradings, newest first"
          list={gradings}
          columns={columns}
          rowKey={(grading) => grading.id}
          one="grading"
          empty={
            <p className={classes.quiet}>
              None yet. The traces’ current outcomes came with the files, or from rounds that graded.
            </p>
          }
        />
      </Panel>
    </>
  );
}

function StartPanel({ slug }: { slug: string }) {
  const navigate = useNavigate();
  const project = useProject(slug);
  const create = useCreateGrading(slug);
  const [scope, setScope] = useState<GradingScope>("ungraded");
  const kind = project.data?.answer_kind;
  return (
    <Panel
      title="Grade the traces"
      note="Each trace’s final answer is compared with its problem’s true answer: right, wrong, or not gradable. Nothing changes until you review the differences and apply them."
    >
      {kind === "none" && (
        <Notice tone="warn">
          This project grades no answers (Settings, “Answers are compared”). Every trace would be not graded.
        </Notice>
      )}
      <Choices row legend="Which traces" name="scope" choices={SCOPES} value={scope} onChange={setScope} />
      <div className={classes.start}>
        <ErrorNotice error={create.error} />
        <FormButtons>
          <Button
            kind="primary"
            disabled={create.isPending}
            onClick={() =>
              create.mutate(scope, {
                onSuccess: (grading) => void navigate(`/projects/${slug}/gradings/${grading.id}`),
              })
            }
          >
            {create.isPending ? "Starting…" : "Start grading"}
          </Button>
          {kind && kind !== "none" && <span className={classes.quiet}>Answers are compared {kindWords(kind)}.</span>}
        </FormButtons>
      </div>
    </Panel>
  );
}
