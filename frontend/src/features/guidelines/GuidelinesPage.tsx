import { useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { isKept } from "@/api/keptText";
import type { GuidelineVersion } from "@/api/projectTypes";
import { hasRole, roleIn, useUser } from "@/api/session";
import { Button } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { formatDateTime } from "@/ui/format";
import { Markdown } from "@/ui/Markdown";
import { Notice } from "@/ui/Notice";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Panel } from "@/ui/Panel";
import { RelativeTime } from "@/ui/RelativeTime";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { GuidelineEditor } from "./GuidelineEditor";
import classes from "./guidelines.module.css";
import { useGuideline, useGuidelines } from "./queries";

/** The guidelines for labelers: the version in force, older versions and, for researchers, the editor. */
export function GuidelinesPage() {
  const { slug = "" } = useParams();
  const [params] = useSearchParams();
  const asked = Number(params.get("version")) || null;
  const canWrite = hasRole(roleIn(useUser(), slug), "researcher");
  const guideline = useGuideline(slug, asked);
  const newest = useGuideline(slug, null);
  const [editing, setEditing] = useState(false);
  const keep = `guidelines:${slug}:${asked ?? ""}`;

  if (guideline.isError) return <ErrorState inline error={guideline.error} retry={() => void guideline.refetch()} />;
  if (editing && guideline.data && newest.data) {
    const version = newest.data.version;
    return (
      <GuidelineEditor
        slug={slug}
        keep={keep}
        start={guideline.data}
        newest={version}
        onDone={() => setEditing(false)}
      />
    );
  }
  const write = canWrite && (
    <Button kind="primary" onClick={() => setEditing(true)} disabled={!guideline.data || !newest.data}>
      {isKept(keep) ? "Go on writing" : guideline.data?.version === 0 ? "Write the guidelines" : "Edit"}
    </Button>
  );
  return (
    <>
      <PageHeading title="Guidelines" actions={guideline.data?.version !== 0 && write}>
        {guideline.data && guideline.data.version > 0 && (
          <span className={classes.version}>
            version {guideline.data.version}
            {guideline.data.created_at && `, ${formatDateTime(guideline.data.created_at)}`}
          </span>
        )}
      </PageHeading>
      {asked !== null && <OlderVersion slug={slug} version={asked} />}
      {guideline.isPending && <SkeletonLines lines={10} />}
      {guideline.data?.version === 0 && (
        <EmptyState inline title="No guidelines yet" actions={write}>
          <p>Labelers read the guidelines in a panel next to the trace. Each label records the version in force.</p>
        </EmptyState>
      )}
      {guideline.data && guideline.data.version > 0 && (
        <article className={classes.text}>
          <Markdown source={guideline.data.body} />
        </article>
      )}
      <Versions slug={slug} />
    </>
  );
}

function OlderVersion({ slug, version }: { slug: string; version: number }) {
  const current = useGuideline(slug, null);
  if (!current.data || current.data.version === version) return null;
  return (
    <Notice tone="warn">
      This is version {version}. Version {current.data.version} is in force.
    </Notice>
  );
}

function Versions({ slug }: { slug: string }) {
  const versions = useGuidelines(slug);
  if ((versions.rows?.length ?? 0) < 2) return null;
  const columns: TableColumn<GuidelineVersion>[] = [
    {
      name: "Version",
      main: true,
      cell: ({ version }) => <RowLink to={`?version=${version}`}>Version {version}</RowLink>,
    },
    { name: "By", cell: (row) => row.created_by?.display_name ?? "the machine" },
    { name: "Published", cell: (row) => <RelativeTime at={row.created_at} /> },
  ];
  return (
    <Panel bare title="Versions">
      <PagedTable
        caption="Published versions, newest first"
        list={versions}
        columns={columns}
        rowKey={(row) => row.version}
        one="version"
        empty={null}
      />
    </Panel>
  );
}
