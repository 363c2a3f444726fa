import type { ReactNode } from "react";
import { Panel } from "@/ui/Panel";
import { SkeletonLines } from "@/ui/states";
import { PathView, type ShownPath } from "./PathView";

interface LabelPathsProps {
  labels: { id: number; labeler: { display_name: string } }[];
  raw: boolean;
  /** Reads the path of a label. */
  usePath: (labelId: number) => { data: ShownPath | undefined; error: unknown };
  /** The labels as a table, without how each step was chosen: for readers who may not see the path itself. */
  table: ReactNode;
}

/**
 * The labels of a problem whose paths were chosen: each with its own path and everything that was offered on the way.
 */
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
