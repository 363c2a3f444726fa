import { useParams } from "react-router";
import type { DiffPart, DiffRow, ReleaseDiff } from "@/api/releaseTypes";
import { DownloadLink } from "@/ui/Button";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { SelectField } from "@/ui/Form";
import { countOf, formatCount } from "@/ui/format";
import { RowLink } from "@/ui/PagedTable";
import { PageHeading } from "@/ui/PageShell";
import { Figure, Figures, Panel } from "@/ui/Panel";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { useUrlFilters } from "@/ui/useUrlFilters";
import { useReleaseDiff, useReleases } from "./queries";
import classes from "./releases.module.css";
import { saidWords, shortLabeler } from "./releaseWords";

export function ReleaseDiffPage() {
  const { slug = "", releaseId = "" } = useParams();
  const { filters, setFilter } = useUrlFilters(["before"]);
  const query = useReleaseDiff(Number(releaseId), filters.before);
  const others = useReleases(slug).rows?.filter(({ id }) => id !== Number(releaseId)) ?? [];
  const diff = query.data;
  const before = filters.before || String(diff?.before.id ?? "");
  return (
    <>
      <PageHeading
        title={diff ? `What changed in ${diff.after.name} v${diff.after.version}` : "What changed"}
        actions={
          diff && (
            <DownloadLink href={`/api/releases/${releaseId}/diff.csv?before=${before}`}>Every row as CSV</DownloadLink>
          )
        }
      />
      {others.length > 0 && (
        <div className={classes.since}>
          <SelectField
            label="Since"
            choices={others.map((one) => ({ value: String(one.id), label: `${one.name} v${one.version}` }))}
            value={before}
            onChange={(value) => setFilter("before", value)}
          />
        </div>
      )}
      {query.isPending && <SkeletonLines lines={8} />}
      {query.isError && !diff && <ErrorState inline error={query.error} retry={() => void query.refetch()} />}
      {diff && <Changes diff={diff} slug={slug} />}
    </>
  );
}

function Changes({ diff, slug }: { diff: ReleaseDiff; slug: string }) {
  const { same, added, removed, changed, verdicts } = diff.totals;
  if (added + removed + changed === 0) {
    return (
      <EmptyState inline title="Nothing changed">
        <p>Both hold the same {countOf(same, "label")}.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Panel>
        <Figures>
          <Figure name="Added" value={formatCount(added)} />
          <Figure name="Removed" value={formatCount(removed)} />
          <Figure name="Changed" value={formatCount(changed)} note={`${formatCount(verdicts)} in their verdict`} />
          <Figure name="The same" value={formatCount(same)} />
        </Figures>
      </Panel>
      <Part title="By round" of="Round" rows={diff.by_round} />
      <Part title="By labeler" of="Labeler" rows={diff.by_labeler} />
      <Part title="By source" of="Source" rows={diff.by_source} />
      <Panel
        title="Rows"
        note={diff.rows.length < added + removed + changed ? `The first ${diff.rows.length}; the CSV has all.` : ""}
      >
        <DataTable caption="Labels that differ" columns={rowColumns(diff, slug)} rows={diff.rows} rowKey={rowKey} />
      </Panel>
    </>
  );
}

function Part({ title, of, rows }: { title: string; of: string; rows: DiffPart[] }) {
  const columns: TableColumn<DiffPart>[] = [
    { name: of, main: true, cell: (one) => <span className={classes.id}>{one.name}</span> },
    { name: "Added", align: "right", cell: (one) => formatCount(one.added) },
    { name: "Removed", align: "right", cell: (one) => formatCount(one.removed) },
    { name: "Changed", align: "right", cell: (one) => formatCount(one.changed) },
  ];
  return (
    <Panel title={title}>
      <DataTable caption={title} columns={columns} rows={rows} rowKey={(one) => one.name} />
    </Panel>
  );
}

const rowKey = (row: DiffRow) => `${row.label_before}:${row.label_after}`;

function rowColumns(diff: ReleaseDiff, slug: string): TableColumn<DiffRow>[] {
  const path = (row: DiffRow) =>
    row.label_after === null
      ? `/projects/${slug}/releases/${diff.before.id}/labels/${row.label_before}`
      : `/projects/${slug}/releases/${diff.after.id}/labels/${row.label_after}`;
  return [
    {
      name: "Label",
      main: true,
      cell: (row) => (
        <RowLink to={path(row)}>
          Trace {row.trace}
          {row.problem && `, ${row.problem}`}
        </RowLink>
      ),
    },
    { name: "What", cell: (row) => row.change },
    { name: "Before", cell: (row) => saidWords(row.reason_before, row.verdict_before) },
    { name: "After", cell: (row) => saidWords(row.reason_after, row.verdict_after) },
    { name: "Ratings changed", align: "right", cell: (row) => (row.steps === null ? "–" : formatCount(row.steps)) },
    { name: "Round", align: "right", cell: (row) => row.round },
    { name: "Labeler", cell: (row) => <span className={classes.id}>{shortLabeler(row.labeler)}</span> },
  ];
}
