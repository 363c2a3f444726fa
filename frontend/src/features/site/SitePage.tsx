import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { components } from "@/api/schema";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatBytes, formatCount, formatDateTime, formatDuration } from "@/ui/format";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Figure, Figures, Panel } from "@/ui/Panel";
import { StatusMark } from "@/ui/StatusMark";
import { EmptyState, ErrorState, SkeletonLines } from "@/ui/states";
import { SiteRetention } from "./SiteRetention";

type Server = components["schemas"];
type Site = Server["SiteOut"];

const EVERY_MS = 15_000;

/** How the site runs, for its administrators: the doctor's list, and what jobs are waiting for. */
export function SitePage() {
  const site = useQuery({
    queryKey: ["site"],
    queryFn: ({ signal }) => api.get<Site>("/api/site", { signal }),
    refetchInterval: EVERY_MS,
  });
  return (
    <>
      <PageHeading title="Site" />
      {site.isPending && <SkeletonLines lines={8} label="Looking at the installation" />}
      {site.isError && !site.data && <ErrorState error={site.error} retry={() => site.refetch()} inline />}
      {site.data && <Found site={site.data} />}
    </>
  );
}

function Found({ site }: { site: Site }) {
  const faults = site.checks.filter((check) => check.fault);
  const alive = site.workers.filter((worker) => worker.alive);
  const waiting = site.jobs.reduce((sum, jobs) => sum + jobs.queued, 0);
  return (
    <>
      <Panel>
        <Figures>
          <Figure name="Misconfigured" value={formatCount(faults.length)} note={`of ${site.checks.length} checks`} />
          <Figure name="Workers alive" value={formatCount(alive.length)} note={`${site.workers.length} known`} />
          <Figure name="Jobs that wait" value={formatCount(waiting)} />
          <Figure name="Database" value={formatBytes(site.database.bytes)} note={connections(site.database)} />
          <Figure name="Last backup" value={site.backup.at ? formatDateTime(site.backup.at) : "none seen"} />
        </Figures>
      </Panel>
      <Checks site={site} />
      <Work site={site} />
      <Storage site={site} />
      <SiteRetention />
      <Panel title="Versions">
        <Facts
          facts={[
            ["Stepmark", site.versions.stepmark],
            ["PostgreSQL", site.database.version],
            ["Python", site.versions.python],
            ["Django", site.versions.django],
          ]}
        />
      </Panel>
    </>
  );
}

function connections(database: Server["SiteDatabase"]): string {
  return `${database.connections} of ${database.connections_most} connections`;
}

const checkColumns: TableColumn<Server["SiteCheck"]>[] = [
  { name: "Check", main: true, cell: (check) => check.name, width: "260px" },
  {
    name: "Found",
    cell: (check) =>
      check.fault ? (
        <>
          <StatusMark tone="bad">wrong</StatusMark> {check.fault}
        </>
      ) : (
        <StatusMark tone="good">in order</StatusMark>
      ),
  },
];

const noteColumns: TableColumn<Server["SiteCheck"]>[] = [
  { name: "About", main: true, cell: (note) => note.name, width: "260px" },
  { name: "Note", cell: (note) => note.fault },
];

function Checks({ site }: { site: Site }) {
  const worstFirst = [...site.checks].sort((one, other) => Number(!one.fault) - Number(!other.fault));
  return (
    <>
      <Panel title="Configuration" note="The checks of manage.py doctor, run by the web process that sent this page.">
        <DataTable
          caption="Checks, faults first"
          columns={checkColumns}
          rows={worstFirst}
          rowKey={(check) => check.name}
        />
      </Panel>
      {site.notes.length > 0 && (
        <Panel title="Worth knowing" note="These work, but could be better.">
          <DataTable caption="Notes" columns={noteColumns} rows={site.notes} rowKey={(note) => note.name} />
        </Panel>
      )}
    </>
  );
}

const workerColumns: TableColumn<Server["SiteWorker"]>[] = [
  { name: "Worker", main: true, cell: (worker) => worker.name },
  { name: "Queues", cell: (worker) => worker.queues.join(", ") },
  { name: "Processes", align: "right", cell: (worker) => formatCount(worker.processes) },
  { name: "Last seen", cell: (worker) => formatDateTime(worker.seen_at) },
  {
    name: "State",
    cell: (worker) => <StatusMark tone={worker.alive ? "good" : "bad"}>{worker.alive ? "alive" : "silent"}</StatusMark>,
  },
];

const queueColumns: TableColumn<Server["SiteQueue"]>[] = [
  { name: "Round", main: true, cell: (queue) => `${queue.project}, round ${queue.round}` },
  { name: "Labels wanted", align: "right", cell: (queue) => formatCount(queue.labels_wanted) },
  { name: "Open for", align: "right", cell: (queue) => formatDuration(queue.open_seconds * 1000) },
];

const jobColumns: TableColumn<Server["SiteJobs"]>[] = [
  { name: "Kind", main: true, cell: (jobs) => JOB_NAMES[jobs.kind] ?? jobs.kind },
  { name: "Wait", align: "right", cell: (jobs) => formatCount(jobs.queued) },
  { name: "Run", align: "right", cell: (jobs) => formatCount(jobs.running) },
  { name: "Lost their worker", align: "right", cell: (jobs) => formatCount(jobs.lost) },
  {
    name: "Oldest waits for",
    align: "right",
    cell: (jobs) => (jobs.queued ? formatDuration(jobs.oldest_seconds * 1000) : "–"),
  },
];

const JOB_NAMES: Record<string, string> = {
  importjob: "Imports",
  export: "Exports",
  gradingjob: "Gradings",
  trainingrun: "Trainings",
  evaluation: "Evaluations",
  prmtrial: "Test scorings",
  release: "Releases",
  labelpush: "Label pushes",
  projectmove: "Projects on their way out or back",
  releasepush: "Pushes of releases",
  scoreimport: "Imports of scores",
  sourcechunk: "Pieces of machine labels",
};

function byName(jobs: Server["SiteJobs"][]): Server["SiteJobs"][] {
  const name = ({ kind }: Server["SiteJobs"]) => JOB_NAMES[kind] ?? kind;
  return [...jobs].sort((one, other) => name(one).localeCompare(name(other)));
}

function Work({ site }: { site: Site }) {
  return (
    <>
      <Panel
        title="Workers"
        note="Workers report every twenty seconds. After a minute without a report, a worker counts as gone."
      >
        {site.workers.length > 0 ? (
          <DataTable caption="Workers" columns={workerColumns} rows={site.workers} rowKey={(worker) => worker.name} />
        ) : (
          <EmptyState inline title="No worker has reported yet">
            Imports, exports and rounds wait until one is started.
          </EmptyState>
        )}
      </Panel>
      <Panel title="Rounds" note="The rounds being labeled now, and how many labels each still wants.">
        {site.queues.length > 0 ? (
          <DataTable
            caption="Rounds"
            columns={queueColumns}
            rows={site.queues}
            rowKey={(queue) => `${queue.project}/${queue.round}`}
          />
        ) : (
          <EmptyState inline title="No round is being labeled" />
        )}
      </Panel>
      <Panel title="Jobs" note="Work for the workers, by kind.">
        <DataTable caption="Jobs" columns={jobColumns} rows={byName(site.jobs)} rowKey={(jobs) => jobs.kind} />
      </Panel>
    </>
  );
}

const diskColumns: TableColumn<Server["SiteDisk"]>[] = [
  { name: "Folder", main: true, cell: (disk) => `${disk.name} ${disk.path}` },
  { name: "Free", align: "right", cell: (disk) => formatBytes(disk.free) },
  { name: "Of", align: "right", cell: (disk) => formatBytes(disk.total) },
];

const tableColumns: TableColumn<Server["SiteTable"]>[] = [
  { name: "Table", main: true, cell: (table) => table.name },
  { name: "Rows, about", align: "right", cell: (table) => formatCount(table.rows) },
  { name: "Size", align: "right", cell: (table) => formatBytes(table.bytes) },
];

const statementColumns: TableColumn<Server["SiteStatement"]>[] = [
  { name: "Statement", main: true, cell: (statement) => <code>{statement.text}</code> },
  { name: "Calls", align: "right", cell: (statement) => formatCount(statement.calls) },
  { name: "Mean", align: "right", cell: (statement) => `${statement.mean_ms.toFixed(1)} ms` },
];

function Storage({ site }: { site: Site }) {
  const { database, backup } = site;
  return (
    <>
      <Panel title="Disk and backup" note={`Last backup: ${backupSaid(backup)}`}>
        <DataTable caption="Disks" columns={diskColumns} rows={site.disks} rowKey={(disk) => disk.name} />
      </Panel>
      <Panel title="Database" note="The largest tables.">
        <DataTable caption="Tables" columns={tableColumns} rows={database.tables} rowKey={(table) => table.name} />
      </Panel>
      <Panel title="Slow statements" note="Those that took the most time in total.">
        {database.slow_statements ? (
          <DataTable
            caption="Statements"
            columns={statementColumns}
            rows={database.slow_statements}
            rowKey={(statement) => statement.text}
          />
        ) : (
          <EmptyState inline title="PostgreSQL does not count them">
            Add pg_stat_statements to shared_preload_libraries, restart PostgreSQL, and run CREATE EXTENSION
            pg_stat_statements.
          </EmptyState>
        )}
      </Panel>
    </>
  );
}

function backupSaid(backup: Server["SiteBackup"]): string {
  if (!backup.at) return "none found. Run make backup, preferably every night (docs/operations.md).";
  return `${formatDateTime(backup.at)}, ${formatBytes(backup.bytes ?? 0)}, in ${backup.folder}`;
}
