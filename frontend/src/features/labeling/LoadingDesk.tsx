import { SkeletonLines } from "@/ui/states";

/** Grey placeholder lines where the task is about to appear. */
export function LoadingDesk() {
  return (
    <div style={{ maxWidth: 760, margin: "18vh auto", padding: "0 24px" }}>
      <SkeletonLines lines={5} label="Loading the task" />
    </div>
  );
}
