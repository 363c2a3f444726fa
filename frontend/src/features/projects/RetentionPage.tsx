import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useParams } from "react-router";
import { api } from "@/api/client";
import * as limits from "@/api/limits";
import { projectQuery } from "@/api/projects";
import type { components } from "@/api/schema";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatCount, formatDateTime } from "@/ui/format";
import { JobMark } from "@/ui/JobMark";
import { ErrorNotice, Notice } from "@/ui/Notice";
import { PageHeading } from "@/ui/PageShell";
import { Facts, Panel } from "@/ui/Panel";
import { ProgressLine } from "@/ui/ProgressLine";
import { type Old, PrunePanel } from "@/ui/PrunePanel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { lastPart } from "./moveProgress";
import classes from "./projects.module.css";

type Server = components["schemas"];
type Retention = Server["ProjectRetentionOut"];

const isUnderWay = (move: Retention["move"]) => move?.status === "queued" || move?.status === "running";

/** What can leave a project: old drafts, or all of it into a file. Data about people belong to the site's page. */
export function RetentionPage() {
  const { slug = "" } = useParams();
  const [days, setDays] = useState(90);
  const client = useQueryClient();
  const path = `/api/projects/${slug}/retention`;
  const found = useQuery({
    queryKey: ["retention", slug, days],
    queryFn: ({ signal }) => api.get<Retention>(`${path}?days=${days}`, { signal }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (isUnderWay(state.data?.move ?? null) ? 1_000 : false),
  });
  const out = found.data?.file;
  useEffect(() => {
    // the top of every page says whether the project has been taken out
    if (out !== undefined) void client.invalidateQueries({ queryKey: projectQuery(slug).queryKey });
  }, [client, slug, out]);
  const again = () => client.invalidateQueries({ queryKey: ["retention", slug] });
  const prune = async (asked: { days: number; rollouts: boolean }) => {
    const gone = await api.post<Old>(`${path}/prune`, asked);
    await again();
    return gone;
  };
  return (
    <>
      <PageHeading title="Deletion and retention" />
      {found.isPending && <SkeletonLines lines={6} label="Counting" />}
      {found.isError && !found.data && <ErrorState inline error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <>
          <PrunePanel
            of="this project"
            days={days}
            limits={limits.PruneIn.days}
            onDays={setDays}
            old={found.isPlaceholderData ? undefined : found.data.old}
            prune={prune}
          />
          <MovePanel path={path} retention={found.data} again={again} />
          <Panel title="Removing a person’s data">
            <p>
              Deactivate the person under People. The tasks they hold return to the queue, and their labels stay. Only
              the site’s administrators can remove their identity, under Site.
            </p>
          </Panel>
        </>
      )}
    </>
  );
}

interface MovePanelProps {
  path: string;
  retention: Retention;
  again: () => Promise<unknown>;
}

function MovePanel({ path, retention, again }: MovePanelProps) {
  const [asking, setAsking] = useState(false);
  const { move, file, rows } = retention;
  const out = file !== "";
  const start = useMutation({
    mutationFn: () => api.post<Server["ProjectMoveOut"]>(`${path}/${out ? "bring_back" : "take_out"}`),
    onSuccess: again,
  });
  return (
    <Panel
      title={out ? "This project is stored in a file" : "Out to a file"}
      note={
        out
          ? "Its rows, exports, releases and PRMs are only in that file until you bring the project back."
          : "For a project that you no longer need here. All rows, exports, releases and PRMs move from the database into one file with hashes. The empty project stays listed with its people and its audit log. You can bring it back."
      }
    >
      <div className={classes.rows}>
        <Facts facts={[["Rows", formatCount(rows)], ...(out ? ([["File", file]] as [string, string][]) : [])]} />
      </div>
      {move && <Progress move={move} />}
      <ErrorNotice error={asking ? null : start.error} />
      {!isUnderWay(move) && retention.why_not && <Notice tone="info">{retention.why_not}</Notice>}
      <Button kind={out ? "default" : "danger"} disabled={retention.why_not !== ""} onClick={() => setAsking(true)}>
        {out ? "Bring it back" : "Take it out"}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={out ? "Bring the project back?" : "Take the project out?"}
        confirm={out ? "Bring it back" : "Take it out"}
        danger={!out}
        onConfirm={() => start.mutateAsync()}
        onClose={() => setAsking(false)}
      >
        {out
          ? `All ${formatCount(rows)} rows come back under the same ids. If that fails, none do. The project stays archived.`
          : `${formatCount(rows)} rows move from the database to a file in the server’s data directory. This project’s pages and exports show nothing until you bring it back.`}
      </ConfirmDialog>
    </Panel>
  );
}

const WAYS = { take_out: "Out to a file", bring_back: "Back from the file" };

function Progress({ move }: { move: Server["ProjectMoveOut"] }) {
  const last = lastPart(move);
  return (
    <>
      <p>
        {WAYS[move.direction]}, {formatDateTime(move.created_at)}
        {move.created_by && `, by ${move.created_by.display_name}`}: <JobMark status={move.status} />
      </p>
      {last && <p>{last}</p>}
      {isUnderWay(move) && (
        <ProgressLine
          label={WAYS[move.direction]}
          done={move.rows_done}
          total={last ? null : move.rows_total || null}
        />
      )}
      {move.error && <Notice tone="bad">{move.error}</Notice>}
    </>
  );
}
