/**
 * One tab at a time. Built on Web Locks, which the browser frees when a tab dies. Where there are none (plain HTTP in a
 * local network) every tab holds every lock: the server's idempotency keys and draft revisions still keep the work right.
 */

const locks: LockManager | undefined = navigator.locks;

/** Where there are no locks: the last work of each name in this tab, which the next one waits for. */
const lastWork = new Map<string, Promise<unknown>>();

/** Run `work` while no other work of the same name runs, in this tab or another. */
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

/** How long a lock may take to come free before the page says that another tab has it: this very tab may just have
 * given it back (a page is loaded again, or left and come back to). */
const PATIENCE_MS = 400;

/**
 * Wait for a named lock and hold it until `ended`, telling each change. It comes by itself when the tab that has it is
 * closed, or with `steal` at once; a tab from which it is stolen waits for it again. Who waits in a tab that nobody sees
 * leaves it to others: else it would go there whenever the tab in front shows another page for a moment.
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
