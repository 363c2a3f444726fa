/**
 * One tab at a time. Built on Web Locks, which the browser frees when a tab dies. Where there are none (plain HTTP in a
 * local network) every tab holds every lock: the server's idempotency keys and draft revisions still keep the work right.
 */

const locks: LockManager | undefined = navigator.locks;

/** Run `work` while no other tab runs work of the same name. */
export async function oneTabAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!locks) return work();
  return locks.request(name, work) as Promise<T>;
}

export interface HeldLock {
  release: () => void;
}

/** How long a lock may take to come free when this very tab has just given it back (leaving a page and coming again). */
const PATIENCE_MS = 400;

/**
 * Hold a named lock until released. Null when another tab has it and `steal` is not asked for; `lost` is called when
 * another tab takes it over.
 */
export function holdLock(name: string, steal: boolean, lost: () => void): Promise<HeldLock | null> {
  if (!locks) return Promise.resolve({ release: () => undefined });
  return new Promise((resolve) => {
    let granted = false;
    let released = false;
    const keep = () =>
      new Promise<void>((free) => {
        granted = true;
        const release = () => {
          released = true;
          free();
        };
        resolve({ release });
      });
    const options: LockOptions = steal ? { steal: true } : { signal: AbortSignal.timeout(PATIENCE_MS) };
    locks.request(name, options, keep).catch(() => {
      if (!granted)
        resolve(null); // Another tab kept it.
      else if (!released) lost(); // Another tab took it over.
    });
  });
}
