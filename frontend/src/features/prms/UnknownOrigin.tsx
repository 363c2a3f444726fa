import type { Evaluation } from "@/api/trainingTypes";
import { Notice } from "@/ui/Notice";

/** Stands above figures that may be too good, because nobody knows what their PRM has seen; else nothing. */
export function UnknownOrigin({ evaluations }: { evaluations: Evaluation[] }) {
  const unknown = evaluations.filter((one) => !one.origin_known);
  if (unknown.length === 0) return null;
  const names = unknown.map((one) => one.prm.name).join(" and ");
  return (
    <Notice tone="warn" title={`Which problems ${names} learned from is unknown`}>
      {unknown.length === 1 ? "It was" : "They were"} not trained here, and nothing beside the weights names them.
      {said(unknown)} If problems of this set are among them, the figures flatter it.
    </Notice>
  );
}

/** What people typed where it was connected: words, which leave nothing out. */
function said(unknown: Evaluation[]): string {
  const told = unknown.filter((one) => one.learned_from);
  if (told.length === 0) return "";
  const whose = (one: Evaluation) => (unknown.length > 1 ? `${one.prm.name} ` : "");
  return ` Somebody said: ${told.map((one) => whose(one) + one.learned_from).join("; ")}.`;
}
