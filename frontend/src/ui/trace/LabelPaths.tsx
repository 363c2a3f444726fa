import { Panel } from "@/ui/Panel";
import { ErrorState, SkeletonLines } from "@/ui/states";
import { PathView, type ShownPath } from "./PathView";

interface LabelPathsProps {
  labels: { id: number; labeler: { display_name: string } }[];
  raw: boolean;
  /** How the path of a label is read. */
  usePath: (labelId: number) => { data: ShownPath | undefined; error: unknown; refetch: () => unknown };
}

/** Each label of a problem whose paths were chosen: its own path, with all that was offered on the way. */
export function LabelPaths({ labels, raw, usePath }: LabelPathsProps) {
  if (labels.length === 0) {
    return (
      <Panel title="Path">
        <p>Nobody has chosen a path here yet.</p>
      </Panel>
    );
  }
  return labels.map(({ id, labeler }) => (
    <Panel key={id} bare title={`The path of ${labeler.display_name}`}>
      <OnePath labelId={id} writer={labeler.display_name} raw={raw} usePath={usePath} />
    </Panel>
  ));
}

interface OnePathProps extends Pick<LabelPathsProps, "raw" | "usePath"> {
  labelId: number;
  writer: string;
}

function OnePath({ labelId, writer, raw, usePath }: OnePathProps) {
  const path = usePath(labelId);
  if (path.data) return <PathView path={path.data} raw={raw} writer={writer} />;
  if (path.error) return <ErrorState inline error={path.error} retry={() => void path.refetch()} />;
  return <SkeletonLines lines={6} label="Loading the path" />;
}
