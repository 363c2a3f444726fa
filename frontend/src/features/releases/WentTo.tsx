import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import type { WentInto } from "@/api/releaseTypes";
import { DataTable } from "@/ui/DataTable";
import { formatCount } from "@/ui/format";
import classes from "./releases.module.css";
import { stateMark } from "./releaseWords";

type OneRelease = WentInto["releases"][number];

/** The releases that contain some labels, and the PRMs that learned from them. */
export function WentTo({ went, action }: { went: WentInto; action?: (release: OneRelease) => ReactNode }) {
  const { slug = "" } = useParams();
  return (
    <>
      <DataTable
        caption="Releases"
        rows={went.releases}
        rowKey={(one) => one.id}
        columns={[
          {
            name: "Release",
            main: true,
            cell: (one) => (
              <Link className={classes.link} to={`/projects/${slug}/releases/${one.id}`}>
                {one.name} v{one.version}
              </Link>
            ),
          },
          { name: "State", cell: (one) => stateMark({ ...one, status: "succeeded" }).name },
          { name: "Labels", align: "right", cell: (one) => formatCount(one.labels) },
          ...(action ? [{ name: "Leave out", quiet: true, cell: action }] : []),
        ]}
      />
      {went.prms.length === 0 ? (
        <p className={classes.quiet}>No PRM was trained on these labels here.</p>
      ) : (
        <DataTable
          caption="PRMs trained on them"
          rows={went.prms}
          rowKey={(one) => one.run}
          columns={[
            {
              name: "PRM",
              main: true,
              cell: (one) => (
                <Link className={classes.link} to={`/projects/${slug}/prms/runs/${one.run}`}>
                  {one.name ?? `Training ${one.run}`}
                </Link>
              ),
            },
            { name: "Labels", align: "right", cell: (one) => formatCount(one.labels) },
          ]}
        />
      )}
    </>
  );
}
