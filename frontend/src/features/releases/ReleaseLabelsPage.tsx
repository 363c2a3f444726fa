import { Textarea } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { useProject } from "@/api/projects";
import type { ReleasedLabel, ReleaseLabeler } from "@/api/releaseTypes";
import { Button } from "@/ui/Button";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { Form, FormButtons, SelectField } from "@/ui/Form";
import { formatCount } from "@/ui/format";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { ProblemExcerpt } from "@/ui/trace/TraceText";
import { useUrlFilters } from "@/ui/useUrlFilters";
import {
  useFindRow,
  useRelease,
  useReleasedLabels,
  useReleaseLabelers,
  useReleaseWithout,
  useTracedLabeler,
} from "./queries";
import classes from "./releases.module.css";
import { saidWords, shortLabeler } from "./releaseWords";
import { WentTo } from "./WentTo";

/** From a row that somebody has to its label, and from a labeler to everything that contains their labels. */
export function ReleaseLabelsPage() {
  const { releaseId } = useParams();
  const id = Number(releaseId);
  const { filters, setFilter } = useUrlFilters(["labeler"]);
  const release = useRelease(id).data;
  return (
    <>
      <PageHeading title={release ? `Labels of ${release.name} v${release.version}` : "Labels"} />
      <p>
        <Link to=".." relative="path" className={classes.link}>
          {release ? `${release.name} v${release.version}` : "The release"}
        </Link>
      </p>
      <FindRow id={id} files={release?.exports.map(({ path }) => path) ?? []} />
      {filters.labeler ? (
        <OneLabeler id={id} labeler={filters.labeler} close={() => setFilter("labeler", "")} />
      ) : (
        <Labelers id={id} choose={(labeler) => setFilter("labeler", labeler)} />
      )}
      <Labels id={id} labeler={filters.labeler} />
    </>
  );
}

function FindRow({ id, files }: { id: number; files: string[] }) {
  const { slug = "" } = useParams();
  const [row, setRow] = useState("");
  const [file, setFile] = useState("");
  const find = useFindRow(id);
  return (
    <Panel title="Find a row" note="Paste a row as JSON, the SHA-256 of its line, or its row number.">
      <Form onSubmit={() => find.mutate({ row, file })} label="Find a row">
        <ErrorNotice error={find.error} title="No such row" />
        <Textarea
          label="Row"
          autosize
          minRows={1}
          maxRows={6}
          value={row}
          onChange={(event) => setRow(event.currentTarget.value)}
        />
        {files.length > 1 && (
          <SelectField
            label="File"
            choices={["", ...files].map((value) => ({ value, label: value || "the first that has it" }))}
            value={file}
            onChange={setFile}
          />
        )}
        {find.data && (
          <Notice tone="good" title={`Row ${formatCount(find.data.number)} of ${find.data.file}`}>
            {find.data.labels.map((label) => (
              <p key={label}>
                <Link to={`/projects/${slug}/releases/${id}/labels/${label}`}>Label {label}</Link>
              </p>
            ))}
          </Notice>
        )}
        <FormButtons>
          <Button type="submit" disabled={find.isPending || row.trim() === ""}>
            {find.isPending ? "Looking…" : "Find its label"}
          </Button>
        </FormButtons>
      </Form>
    </Panel>
  );
}

function Labelers({ id, choose }: { id: number; choose: (labeler: string) => void }) {
  const found = useReleaseLabelers(id);
  const columns: TableColumn<ReleaseLabeler>[] = [
    {
      name: "Labeler",
      main: true,
      cell: (one) => (
        <>
          {one.person?.display_name} <span className={classes.id}>{one.labeler}</span>
        </>
      ),
    },
    { name: "Labels", align: "right", cell: (one) => formatCount(one.labels) },
    {
      name: "Where their labels went",
      quiet: true,
      cell: (one) => (
        <Button kind="plain" onClick={() => choose(one.labeler)}>
          Where did they go?
        </Button>
      ),
    },
  ];
  return (
    <Panel title="Labelers">
      {found.isError && <ErrorState inline error={found.error} retry={() => void found.refetch()} />}
      {!found.isError && (
        <DataTable caption="Labelers" columns={columns} rows={found.data?.labelers} rowKey={(one) => one.labeler} />
      )}
    </Panel>
  );
}

function OneLabeler({ id, labeler, close }: { id: number; labeler: string; close: () => void }) {
  const { slug = "" } = useParams();
  const navigate = useNavigate();
  const isAdmin = useProject(slug).data?.role === "admin";
  const traced = useTracedLabeler(id, labeler);
  const without = useReleaseWithout(slug);
  const leaveOut = (release: number) =>
    without.mutate(
      { release, labeler },
      { onSuccess: (made) => void navigate(`/projects/${slug}/releases/${made.id}`) },
    );
  return (
    <Panel
      title="Where this labeler's labels went"
      note={labeler}
      actions={
        <Button kind="plain" onClick={close}>
          All labelers
        </Button>
      }
    >
      <ErrorNotice error={without.error} />
      {traced.isPending && <SkeletonLines lines={3} />}
      {traced.isError && <ErrorState inline error={traced.error} retry={() => void traced.refetch()} />}
      {traced.data && (
        <WentTo
          went={traced.data}
          action={(one) =>
            isAdmin && (
              <Button onClick={() => leaveOut(one.id)} disabled={without.isPending}>
                New version without them
              </Button>
            )
          }
        />
      )}
    </Panel>
  );
}

function Labels({ id, labeler }: { id: number; labeler: string }) {
  const list = useReleasedLabels(id, labeler);
  const columns: TableColumn<ReleasedLabel>[] = [
    {
      name: "Label",
      main: true,
      cell: (one) => (
        <RowLink to={String(one.id)}>
          <ProblemExcerpt text={one.problem_text} />
        </RowLink>
      ),
    },
    { name: "Says", cell: (one) => saidWords(one.finish_reason, one.verdict) },
    { name: "Round", align: "right", cell: (one) => one.round },
    {
      name: "Labeler",
      cell: (one) => one.person?.display_name ?? <span className={classes.id}>{shortLabeler(one.labeler)}</span>,
    },
  ];
  return (
    <PagedTable
      caption={labeler ? "Labels of this labeler, newest first" : "Labels, newest first"}
      list={list}
      columns={columns}
      rowKey={(one) => one.id}
      one="label"
      empty={
        <EmptyState inline title="No labels to show">
          <p>Labels on traces that you are labeling are left out here.</p>
        </EmptyState>
      }
    />
  );
}
