import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from "react";
import { ErrorState } from "./states";

const fetches = new Set<() => Promise<unknown>>();

/** Code that is fetched when it is first asked for, or before, by `fetchParts`; what failed is asked for again. */
export function fetchedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let coming: Promise<T> | null = null;
  const fetch = () => {
    coming ??= load().catch((error: unknown) => {
      coming = null;
      throw error;
    });
    return coming;
  };
  fetches.add(fetch);
  return fetch;
}

/** A component, and how to have its code here before it is shown. */
export type Part<P extends object> = ComponentType<P> & { fetch: () => Promise<unknown> };

/**
 * A part of a page whose code is fetched apart. Once it is there it is shown at once, without the frame of nothing
 * that React.lazy shows.
 */
export function partOfPage<P extends object>(load: () => Promise<ComponentType<P>>, meanwhile?: ReactNode): Part<P> {
  let there: ComponentType<P> | null = null;
  const fetch = fetchedOnce(async () => {
    there = await load();
    return there;
  });
  function Shown(props: P) {
    const [Found, setFound] = useState(() => there);
    const [failure, setFailure] = useState<unknown>(null);
    const ask = useCallback(() => {
      setFailure(null);
      fetch().then((found) => setFound(() => found), setFailure);
    }, []);
    useEffect(() => {
      if (!Found) ask();
    }, [Found, ask]);
    if (Found) return <Found {...props} />;
    return failure ? <ErrorState inline error={failure} retry={ask} /> : meanwhile;
  }
  return Object.assign(Shown, { fetch });
}

/** Fetch every part that has not come yet, so that it is there without a network; one that fails comes when it is shown. */
export async function fetchParts(): Promise<void> {
  const asked = new Set<() => Promise<unknown>>();
  for (;;) {
    const more = [...fetches].filter((fetch) => !asked.has(fetch)); // a part may have parts of its own
    if (more.length === 0) return;
    for (const fetch of more) asked.add(fetch);
    await Promise.allSettled(more.map((fetch) => fetch()));
  }
}

const SETTLED_MS = 300;

/** Do it once what was just shown has settled, and the page has nothing better to do. Answers how to call it off. */
export function whenIdle(act: () => void): () => void {
  let asked = 0;
  const timer = setTimeout(() => {
    if ("requestIdleCallback" in window) asked = requestIdleCallback(act, { timeout: 700 });
    else act();
  }, SETTLED_MS);
  return () => {
    clearTimeout(timer);
    if (asked) cancelIdleCallback(asked);
  };
}
