import { keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api, queryString } from "./client";
import type { Page } from "./types";

interface PagedOptions {
  /** Milliseconds between refreshes; none by default. */
  refetchInterval?: number | false;
  enabled?: boolean;
}

/**
 * A keyset-paged list: every page fetched so far as one array of rows.
 *
 * While a filter changes, the rows of the old one stay (`isPlaceholderData`), so that the page does not jump. A page
 * without results may have a next one, which is fetched at once.
 */
export function usePaged<T>(
  key: QueryKey,
  path: string,
  filters: Record<string, string | number | boolean | null | undefined> = {},
  options: PagedOptions = {},
) {
  const query = useInfiniteQuery({
    queryKey: [...key, filters],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<T>>(`${path}${queryString({ ...filters, cursor: pageParam })}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: options.refetchInterval ?? false,
    enabled: options.enabled ?? true,
  });
  const { hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = query;
  const looksOn = query.data?.pages.at(-1)?.results.length === 0 && hasNextPage;
  useEffect(() => {
    if (looksOn && !isFetching && !isError && !isPlaceholderData) void fetchNextPage();
  }, [looksOn, isFetching, isError, isPlaceholderData, fetchNextPage]);
  return { ...query, rows: query.data?.pages.flatMap((page) => page.results) };
}
