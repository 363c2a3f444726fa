/**
 * For tests: as much of IndexedDB as the journal uses, on a disk that can be full. As in browsers, each request of a
 * transaction succeeds, and a full disk refuses all of them together when they are to be stored.
 */

type Row = Record<string, unknown>;
type Keep = () => void;

export class TestDisk {
  /** Room for this many more changes. At zero not even deletions are accepted, which also need room for a moment. */
  room = Number.POSITIVE_INFINITY;
  /** Nothing can be read, as with a broken sector. */
  broken = false;
  readonly rows = { drafts: new Map<string, Row>(), outbox: new Map<string, Row>() };

  /** What a page finds as `indexedDB`; opening it twice makes two tabs. */
  readonly indexedDB = {
    open: () => asked(() => ({ transaction: (name: "drafts" | "outbox") => this.transaction(name), close() {} })),
  };

  private transaction(name: "drafts" | "outbox") {
    const rows = this.rows[name];
    const kept: Keep[] = [];
    let open = 0;
    const transaction: Record<string, unknown> = { error: null, objectStore: () => store };
    const end = () => {
      if (open > 0) return;
      const refused = kept.length > this.room;
      if (refused) transaction.error = new DOMException("The disk is full.", "QuotaExceededError");
      else for (const keep of kept) keep();
      if (!refused) this.room -= kept.length;
      call(transaction, refused ? "onabort" : "oncomplete");
    };
    const ask = (answer: () => unknown) => {
      open += 1;
      return asked(answer, () => {
        open -= 1;
        queueMicrotask(end);
      });
    };
    const read = (answer: () => unknown) =>
      ask(() => {
        if (this.broken) throw new DOMException("The disk is broken.", "UnknownError");
        return answer();
      });
    const store = {
      transaction,
      get: (key: unknown) => read(() => rows.get(JSON.stringify(key))),
      getAll: () => read(() => [...rows.values()]),
      put: (row: Row) => ask(() => void kept.push(() => rows.set(JSON.stringify(keyOf(name, row)), row))),
      delete: (key: unknown) => ask(() => void kept.push(() => rows.delete(JSON.stringify(key)))),
    };
    return transaction;
  }
}

function keyOf(name: string, row: Row): unknown {
  return name === "outbox" ? row.key : [row.userId, row.labelId];
}

function call(target: Record<string, unknown>, name: string): void {
  (target[name] as (() => void) | undefined)?.();
}

/** A request that is answered a moment later. */
function asked(answer: () => unknown, then: () => void = () => undefined) {
  const request: Record<string, unknown> = { result: undefined, error: null };
  queueMicrotask(() => {
    try {
      request.result = answer();
    } catch (error) {
      request.error = error;
    }
    call(request, request.error ? "onerror" : "onsuccess");
    then();
  });
  return request;
}
