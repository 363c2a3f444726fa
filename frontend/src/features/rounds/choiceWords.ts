import type { Round } from "@/api/projectTypes";
import { countOf } from "@/ui/format";
import { filterWords } from "./filterForm";

/** Return which traces a round was made of, as text. */
export function choiceWords({ config, imported }: Round): string {
  if (imported) return "labels that came with an import";
  const filters = filterWords(config.filter ?? {});
  const all = filters === "all traces" ? filters : `those that fit (${filters})`;
  const drawn = countOf(config.sample_size ?? 0, "trace");
  const by = config.by_machine;
  if (config.source === "audit") {
    return `a random sample of ${drawn} from ${all} that ${by?.scorer.name ?? "a source"} marked, for an audit`;
  }
  if (config.source === "disagreement") {
    const against = by?.other?.name ?? "people";
    return `${drawn} from ${all} where ${by?.scorer.name ?? "a source"} and ${against} differ, with a random control`;
  }
  return config.source === "sample" ? `a sample of ${drawn} from ${all}` : filters;
}

/** Return when labelers of a round see a machine's marks. */
export function shownWords({ when, blind_share: blind }: NonNullable<Round["machine"]>): string {
  if (when === "after") return "seen after the label, by who asks";
  return `seen beside the steps; ${Number((100 * blind).toFixed(1))} % of tasks, by chance, show none`;
}
