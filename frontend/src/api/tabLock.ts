/**
 * Locks that one tab holds at a time. Built on Web Locks, which the browser frees when a tab dies. Without Web Locks
 * (plain HTTP in a local network), every tab holds every lock: the server's idempotency keys and draft revisions still
 * keep the work correct.
 */

const locks: LockManager | undefined = navigator.locks;

/** Used without Web Locks: the last work of each name in this tab, which the next one waits for. */
const lastWork = new Map<string, Promise<unknown>>();

/** Run `work` while no other work with the same name runs, in this tab or another. */
export async function oneTabAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (locks) return locks.request(name, work) as Promise<T>;
  const mine = (lastWork.get(name) ?? Promise.resolve()).then(work);
  lastWork.set(
    name,
    mine.catch(() => undefined),
  );
  return mine;
}

export type LockState = "held" | "elsewhere";

/**
 * How long to wait for a lock before the page says that another tab has it. This very tab may just have released it,
 * when a page is reloaded, or left and opened again.
 */
const PATIENCE_MS = 400;

/**
 * Wait for a named lock and hold it until `ended`, reporting each change. The lock arrives when the tab that holds it
 * is closed or, with `steal`, at once; a tab that loses it this way waits for it again. A hidden tab that has been
 * waiting declines the lock until it is visible: otherwise it would get the lock whenever the tab in front shows
 * another page for a moment.
 */
export function holdLock(name: string, steal: boolean, ended: AbortSignal, tell: (state: LockState) => void): void {
  if (!locks) {
    tell("held");
    return;
  }
  const again = () => ended.aborted || holdLock(name, false, ended, tell);
  let waits = false;
  let granted = false;
  const late = setTimeout(() => {
    waits = true;
    if (!ended.aborted) tell("elsewhere");
  }, PATIENCE_MS);
  const keep = () => {
    clearTimeout(late);
    if (ended.aborted) return undefined;
    if (waits && document.visibilityState === "hidden") {
      document.addEventListener("visibilitychange", again, { once: true, signal: ended });
      return undefined;
    }
    granted = true;
    tell("held");
    return new Promise<void>((free) => ended.addEventListener("abort", () => free()));
  };
  const options: LockOptions = steal ? { steal: true } : { signal: ended };
  locks.request(name, options, keep).catch(() => {
    clearTimeout(late);
    if (ended.aborted) return;
    tell("elsewhere");
    if (granted) again(); // Another tab took it over.
  });
}
