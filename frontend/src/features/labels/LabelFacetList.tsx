import type { LabelFacets } from "@/api/labelListTypes";
import { type FacetGroup, FacetList } from "@/ui/Faceted";
import { FACETS, type LabelFilter, type LabelFilters } from "./labelWords";

interface FacetListProps {
  facets: LabelFacets | undefined;
  filters: LabelFilters;
  onPick: (name: LabelFilter, value: string) => void;
}

/** The list's filters: each one's values with how many labels have them, given all other filters. */
export function LabelFacetList({ facets, filters, onPick }: FacetListProps) {
  const note = facets && (
    <>
      Hasty: less than {(facets.floor_ms / 1000).toFixed(1)} s per step.{" "}
      {facets.scorer
        ? `Surprising: ${facets.scorer.name} gives one of the label’s ratings a chance of one in twenty or less.`
        : "No label can be surprising yet, because no promoted PRM gives probabilities."}
    </>
  );
  return <FacetList groups={facets && groupsOf(facets, filters)} filters={filters} onPick={onPick} note={note} />;
}

function groupsOf(facets: LabelFacets, filters: LabelFilters): FacetGroup<LabelFilter>[] {
  const groups = FACETS.map(({ name, title, values }) => {
    const counts = facets.facets.find((facet) => facet.name === name)?.values ?? [];
    const rows = values
      ? Object.entries(values).map(([value, words]) => ({
          value,
          words,
          count: counts.find((one) => one.value === value)?.labels ?? 0,
        }))
      : counts.map((one) => ({ value: one.value, words: one.name || "unnamed", count: one.labels }));
    return { name, title, values: rows.filter((row) => row.count > 0 || filters[name] === row.value) };
  });
  const tags = facets.tags.map((tag) => ({ value: tag, words: tag }));
  return [
    ...groups.filter(({ name, values }) => values.length > 1 || filters[name] || (name === "why" && values.length > 0)),
    ...(tags.length > 0 ? [{ name: "tag" as const, title: "Tags", values: tags }] : []),
  ].filter(({ values }) => values.length > 0);
}
