import type { ReactNode } from "react";
import { Panel } from "@/ui/Panel";
import { SkeletonLines } from "@/ui/states";
import { PathView, type ShownPath } from "./PathView";

interface LabelPathsProps {
  labels: { id: number; labeler: { display_name: string } }[];
  raw: boolean;
  /** How the path of a label is read. */
  usePath: (labelId: number) => { data: ShownPath | undefined; error: unknown };
  /** The same in a table, without how each step came in: for whom may not read the path itself. */
  table: ReactNode;
}

/** Each label of a problem whose paths were chosen: its own path, with all that was offered on the way. */
export function LabelPaths({ labels, raw, usePath, table }: LabelPathsProps) {
  if (labels.length === 0) {
    return (
      <Panel title="Path">
        <p>Nobody has chosen a path here yet.</p>
      </Panel>
    );
  }
  return labels.map(({ id, labeler }) => (
    <Panel key={id} bare title={`The path of ${labeler.display_name}`}>
      <OnePath labelId={id} writer={labeler.display_name} raw={raw} usePath={usePath} table={table} />
    </Panel>
  ));
}

interface OnePathProps extends Pick<LabelPathsProps, "raw" | "usePath" | "table"> {
  labelId: number;
  writer: string;
}

function OnePath({ labelId, writer, raw, usePath, table }: OnePathProps) {
  const path = usePath(labelId);
  if (path.data) return <PathView path={path.data} raw={raw} writer={writer} />;
  if (path.error) return table;
  return <SkeletonLines lines={6} label="Loading the path" />;
}
