import { useParams } from "react-router";
import { useProject } from "@/api/projects";
import type { ReleaseSummary } from "@/api/releaseTypes";
import { ButtonLink } from "@/ui/Button";
import type { TableColumn } from "@/ui/DataTable";
import { formatBytes, formatCount } from "@/ui/format";
import { PagedTable, RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { RelativeTime } from "@/ui/RelativeTime";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState } from "@/ui/states";
import { useReleases } from "./queries";
import { stateMark } from "./releaseWords";

export function State({ release }: { release: Pick<ReleaseSummary, "state" | "status"> }) {
  const { name, tone } = stateMark(release);
  return <StatusMark tone={tone}>{name}</StatusMark>;
}

const columns: TableColumn<ReleaseSummary>[] = [
  {
    name: "Release",
    main: true,
    cell: (one) => (
      <RowLink to={String(one.id)}>
        {one.name} v{one.version}
      </RowLink>
    ),
  },
  { name: "State", cell: (one) => <State release={one} /> },
  { name: "Labels", align: "right", cell: (one) => (one.labels === null ? "–" : formatCount(one.labels)) },
  { name: "Size", align: "right", cell: (one) => (one.bytes ? formatBytes(one.bytes) : "–") },
  { name: "By", cell: (one) => one.created_by?.display_name ?? "the machine" },
  { name: "When", cell: (one) => <RelativeTime at={one.released_at ?? one.created_at} /> },
];

export function ReleasesPage() {
  const { slug = "" } = useParams();
  const releases = useReleases(slug);
  const isAdmin = useProject(slug).data?.role === "admin";
  const make = isAdmin && (
    <ButtonLink kind="primary" to={`/projects/${slug}/releases/new`}>
      New release
    </ButtonLink>
  );
  return (
    <>
      <PageHeading title="Releases" actions={releases.rows?.length !== 0 && make} />
      <PagedTable
        caption="Releases, newest first"
        list={releases}
        columns={columns}
        rowKey={(one) => one.id}
        one="release"
        empty={
          <EmptyState inline title="No releases yet" actions={make}>
            <p>
              A release is one or more exports under a name and a version, with a card that describes them. It never
              changes. The next version lists what changed.
            </p>
            {!isAdmin && <p>Only project admins can make releases.</p>}
          </EmptyState>
        }
      />
    </>
  );
}
