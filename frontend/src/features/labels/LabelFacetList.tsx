import type { LabelFacets } from "@/api/labelListTypes";
import { formatCount } from "@/ui/format";
import { SkeletonLines } from "@/ui/states";
import classes from "./labels.module.css";
import { FACETS, type LabelFilter, type LabelFilters } from "./labelWords";

interface FacetListProps {
  facets: LabelFacets | undefined;
  filters: LabelFilters;
  onPick: (name: LabelFilter, value: string) => void;
}

/** Beside the list: each filter's values with how many labels have them, beside all other filters. A second press lifts it. */
export function LabelFacetList({ facets, filters, onPick }: FacetListProps) {
  if (!facets) return <SkeletonLines lines={12} label="Counting" />;
  return (
    <div className={classes.facets}>
      {FACETS.map(({ name, title, values }) => {
        const counts = facets.facets.find((facet) => facet.name === name)?.values ?? [];
        const rows = values
          ? Object.entries(values).map(([value, words]) => ({
              value,
              words,
              labels: counts.find((one) => one.value === value)?.labels ?? 0,
            }))
          : counts.map((one) => ({ value: one.value, words: one.name, labels: one.labels }));
        const shown = rows.filter((row) => row.labels > 0 || filters[name] === row.value);
        if (shown.length === 0 || (shown.length === 1 && !filters[name] && name !== "why")) return null;
        return (
          <section key={name} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {shown.slice(0, MOST).map((row) => (
                <li key={row.value}>
                  <button
                    type="button"
                    aria-pressed={filters[name] === row.value}
                    onClick={() => onPick(name, filters[name] === row.value ? "" : row.value)}
                  >
                    <span>{row.words || "unnamed"}</span>
                    <span>{formatCount(row.labels)}</span>
                  </button>
                </li>
              ))}
            </ul>
            {shown.length > MOST && <p>{formatCount(shown.length - MOST)} more</p>}
          </section>
        );
      })}
      <Tags facets={facets} filters={filters} onPick={onPick} />
      <p className={classes.note}>
        Hasty: under {(facets.floor_ms / 1000).toFixed(1)} s a step.{" "}
        {facets.scorer
          ? `Surprising: ${facets.scorer.name} gives a rating one chance in twenty or less.`
          : "No label is surprising: no promoted PRM gives probabilities yet."}
      </p>
    </div>
  );
}

const MOST = 12;

function Tags({ facets, filters, onPick }: { facets: LabelFacets } & Omit<FacetListProps, "facets">) {
  if (facets.tags.length === 0) return null;
  return (
    <section aria-label="Tags">
      <h2>Tags</h2>
      <ul>
        {facets.tags.map((tag) => (
          <li key={tag}>
            <button
              type="button"
              aria-pressed={filters.tag === tag}
              onClick={() => onPick("tag", filters.tag === tag ? "" : tag)}
            >
              <span>{tag}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
