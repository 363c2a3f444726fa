import { Link } from "react-router";
import type { LabelerPage } from "@/api/deskTypes";
import { intervalPart } from "@/ui/charts/estimateWords";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { formatCount, formatPercent } from "@/ui/format";
import { Panel } from "@/ui/Panel";
import { saidWords } from "@/ui/trace/words";
import classes from "./labelers.module.css";

type Peer = LabelerPage["peers"][number];

/** The labelers who read the same traces: how often both say the same, and the traces where they do not. */
export function LabelerPeers({ slug, page }: { slug: string; page: LabelerPage }) {
  const own = page.labeler.id;
  const columns: TableColumn<Peer>[] = [
    {
      name: "Labeled with",
      width: "190px",
      cell: ({ labeler }) => <Link to={`/projects/${slug}/labelers/${labeler.id}`}>{labeler.display_name}</Link>,
    },
    {
      name: "Same verdict",
      width: "230px",
      cell: ({ share }) => (
        <>
          {formatCount(Math.round((share.value ?? 0) * share.n))} of {formatCount(share.n)},{" "}
          {formatPercent(share.value ?? 0, 1)}{" "}
          <small className={classes.quiet}>{intervalPart(share, (value) => `${Math.round(value * 100)} %`)}</small>
        </>
      ),
    },
    {
      name: "Where they differ",
      main: true,
      cell: (peer) => <Differing slug={slug} own={own} peer={peer} />,
    },
  ];
  return (
    <Panel
      bare
      title="Agreement with others"
      note={page.peers.length === 0 ? "n/a: nobody else has labeled any of their traces yet." : undefined}
    >
      {page.peers.length > 0 && (
        <DataTable
          caption="Labelers of the same traces"
          columns={columns}
          rows={page.peers}
          rowKey={({ labeler }) => labeler.id}
        />
      )}
    </Panel>
  );
}

function Differing({ slug, own, peer }: { slug: string; own: number; peer: Peer }) {
  const { labeler, differing } = peer;
  if (differing.length === 0) return <span className={classes.quiet}>nowhere</span>;
  return (
    <ul className={classes.differing}>
      {differing.map((one) => (
        <li key={one.trace_id}>
          <Link to={`/projects/${slug}/traces/${one.trace_id}`}>Trace {one.trace_id}</Link>: here{" "}
          {lower(saidWords(one.one_verdict, one.one_reason))}, {labeler.display_name}{" "}
          {lower(saidWords(one.other_verdict, one.other_reason))}
        </li>
      ))}
      <li>
        <Link to={`/projects/${slug}/agreement?one=${own}&other=${labeler.id}`}>Compare the two</Link>
      </li>
    </ul>
  );
}

const lower = (words: string) => words.charAt(0).toLowerCase() + words.slice(1);
