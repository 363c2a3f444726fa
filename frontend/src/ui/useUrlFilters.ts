import { useCallback } from "react";
import { useSearchParams } from "react-router";

/** The filters of a list, kept in the address, so that a filtered list can be linked and survives "back". */
export function useUrlFilters<Name extends string>(names: readonly Name[]) {
  const [params, setParams] = useSearchParams();
  const filters = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ""])) as Record<Name, string>;
  // The router gives each call the parameters of the last rendering: the second of two calls in one tick would undo the
  // first. So changes are applied to the current address instead.
  const setFilters = useCallback(
    (changes: Partial<Record<Name, string>>) =>
      setParams(
        () => {
          const after = new URLSearchParams(window.location.search);
          for (const [name, value] of Object.entries<string | undefined>(changes)) {
            if (value) after.set(name, value);
            else after.delete(name);
          }
          return after;
        },
        { replace: true },
      ),
    [setParams],
  );
  const setFilter = useCallback(
    (name: Name, value: string) => setFilters({ [name]: value } as Partial<Record<Name, string>>),
    [setFilters],
  );
  const clear = useCallback(() => setParams({}, { replace: true }), [setParams]);
  return { filters, setFilter, setFilters, clear, filtered: names.some((name) => filters[name] !== "") };
}
