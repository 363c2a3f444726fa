import type { Evaluation } from "@/api/trainingTypes";
import { Notice } from "@/ui/Notice";

/** A warning above figures that may be too good, because it is unknown what their PRM has seen. Otherwise nothing. */
export function UnknownOrigin({ evaluations }: { evaluations: Evaluation[] }) {
  const unknown = evaluations.filter((one) => !one.origin_known);
  if (unknown.length === 0) return null;
  const names = unknown.map((one) => one.prm.name).join(" and ");
  return (
    <Notice tone="warn" title={`It is unknown which problems ${names} learned from`}>
      {unknown.length === 1 ? "It was" : "They were"} not trained here, and no file next to the weights names the
      problems.
      {said(unknown)} If any of them are in this set, the figures look better than they should.
    </Notice>
  );
}

/** Return what people typed when they connected it. It is only text: it leaves no problems out of the set. */
function said(unknown: Evaluation[]): string {
  const told = unknown.filter((one) => one.learned_from);
  if (told.length === 0) return "";
  const whose = (one: Evaluation) => (unknown.length > 1 ? `${one.prm.name} ` : "");
  return ` According to the person who connected it: ${told.map((one) => whose(one) + one.learned_from).join("; ")}.`;
}
