import { type ComponentType, type ReactNode, useCallback, useEffect, useState } from "react";
import { ErrorState } from "./states";

const fetches = new Set<() => Promise<unknown>>();

/**
 * Code that is fetched when first asked for, or earlier by `fetchParts`; after a failure, the next call fetches it
 * again.
 */
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

/** A component, and how to fetch its code before it is shown. */
export type Part<P extends object> = ComponentType<P> & { fetch: () => Promise<unknown> };

/**
 * A part of a page whose code is fetched separately. Once fetched, it is shown at once, without the empty frame that
 * React.lazy shows.
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

/**
 * Fetch all parts not fetched yet, so that they work without a network. One that fails is fetched again when it is
 * shown.
 */
export async function fetchParts(): Promise<void> {
  const asked = new Set<() => Promise<unknown>>();
  for (;;) {
    const more = [...fetches].filter((fetch) => !asked.has(fetch)); // a fetched part may add parts of its own
    if (more.length === 0) return;
    for (const fetch of more) asked.add(fetch);
    await Promise.allSettled(more.map((fetch) => fetch()));
  }
}

const SETTLED_MS = 300;

/** Call `act` once what was just shown has settled and the page is idle. Returns how to cancel it. */
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
