import { Link } from "react-router";
import type { ReleaseOverlap, ReleaseOverlaps } from "@/api/releaseTypes";
import { DataTable, type TableColumn } from "@/ui/DataTable";
import { countOf, formatCount, formatPercent } from "@/ui/format";
import { Notice } from "@/ui/Notice";
import { Panel } from "@/ui/Panel";
import classes from "./releases.module.css";
import { measuredSentences, overlapSentence } from "./releaseWords";

const columns: TableColumn<ReleaseOverlap>[] = [
  { name: "Problem", main: true, cell: (one) => one.text },
  { name: "Held out in", cell: (one) => one.held_out },
  { name: "How near", cell: (one) => (one.kind === "exact" ? "the same" : formatPercent(one.similarity, 1)) },
  { name: "Its text", cell: (one) => one.near_to ?? "–" },
  { name: "Labels", align: "right", cell: (one) => formatCount(one.labels) },
];

/** The contamination check: what was compared with what, and the rows. */
export function Overlaps({ slug, overlaps }: { slug: string; overlaps: ReleaseOverlaps }) {
  const compared = overlaps.lists.filter(({ texts }) => texts > 0);
  const listed = compared.map(({ name, texts, by_hash_alone }) =>
    by_hash_alone > 0
      ? `${name} (${countOf(texts, "text")}, ${formatCount(by_hash_alone)} by hash alone: near texts are not found)`
      : `${name} (${countOf(texts, "text")})`,
  );
  const measured = measuredSentences(overlaps);
  return (
    <Panel title="Held-out texts">
      <p className={classes.lead}>{overlapSentence(overlaps)}</p>
      <p className={classes.quiet}>
        {listed.length > 0
          ? `Compared with ${listed.join("; ")}. A text is near if half of its runs of five words are the same.`
          : "There was nothing to compare with. This project has no held-out problems, and the operator has not loaded a benchmark (manage.py load_held_out)."}
      </p>
      {measured.length > 0 && (
        <Notice tone="warn" title="Problems that are measured on">
          {measured.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <p>
            To leave them out, make a release from an{" "}
            <Link to={`/projects/${slug}/exports/new?measured=exclude`}>
              export without problems of evaluation sets
            </Link>
            .
          </p>
        </Notice>
      )}
      {overlaps.rows.length > 0 && (
        <DataTable
          caption="Problems that are held out, or near to a held-out one"
          columns={columns}
          rows={overlaps.rows}
          rowKey={(one) => one.problem}
        />
      )}
    </Panel>
  );
}
