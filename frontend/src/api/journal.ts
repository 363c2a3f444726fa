/**
 * Storage that survives a killed tab, browser or network: drafts and the outbox, in IndexedDB. A write starts in the
 * very event that caused it, before the page is painted. If the browser offers no IndexedDB (some private windows) or
 * accepts nothing more (a full disk), this tab's own changes are kept in memory and `durable` is false.
 */
import { OwnChanges } from "./ownChanges";
import type { FinishReason, Submission } from "./types";

export interface JournaledDraft {
  userId: number;
  labelId: number;
  /** The labeling page's own record, which the page checks when it reads it back. */
  saved: unknown;
  /** When the labeler last changed it; epoch ms. */
  updatedAt: number;
  /** The server's draft revision that this copy is based on. */
  baseRevision: number;
  /** Contains work that the server does not have. */
  dirty: boolean;
}

export interface QueuedSubmission {
  key: string;
  userId: number;
  labelId: number;
  slug: string;
  /** The number of its round; missing in entries written by an older page. */
  round?: number;
  action: "submit" | "revise";
  submission: Submission;
  problemText: string;
  finish: FinishReason;
  queuedAt: number;
  attempts: number;
  /** Set when the server refused it permanently; it then waits for the labeler. */
  refusal: { code: string; detail: string } | null;
}

const DRAFTS = "drafts";
const OUTBOX = "outbox";

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("stepmark-labeling", 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(DRAFTS, { keyPath: ["userId", "labelId"] });
      opening.result.createObjectStore(OUTBOX, { keyPath: "key" });
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error("Another tab holds an older version of the journal."));
  });
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Run `act` and resolve when the disk has it. On a full disk each request succeeds, and all fail together at the end.
 */
function committed(store: IDBObjectStore, act: (store: IDBObjectStore) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const { transaction } = store;
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
    act(store);
  });
}

export class Journal {
  /** False if nothing can be stored on this device. */
  durable = true;
  private database: IDBDatabase | null = null;
  private readonly drafts = new OwnChanges<JournaledDraft>((draft) => draft.updatedAt, false);
  /** Always `changedAt` 0: another tab's version of a submission is never newer than what this tab knows. */
  private readonly outbox = new OwnChanges<QueuedSubmission>(() => 0, true);

  /** Open the journal; never rejects. */
  static async open(): Promise<Journal> {
    const journal = new Journal();
    try {
      journal.database = await openDatabase();
      journal.database.onversionchange = () => journal.database?.close();
    } catch {
      journal.durable = false;
    }
    return journal;
  }

  private store(name: string, mode: IDBTransactionMode): IDBObjectStore | null {
    try {
      return this.database?.transaction(name, mode).objectStore(name) ?? null;
    } catch {
      this.durable = false; // The browser closed the database (storage cleared, disk full).
      return null;
    }
  }

  /** Resolves in any case; `taken` is called only if the store has accepted the write. */
  private async write(name: string, act: (store: IDBObjectStore) => void, taken: () => void): Promise<void> {
    const store = this.store(name, "readwrite");
    if (!store) return;
    try {
      await committed(store, act);
      taken();
    } catch {
      this.durable = false;
    }
  }

  /**
   * Store a draft unless a newer one is there: a sleeping tab whose draft was taken over elsewhere may wake up and
   * write.
   */
  putDraft(draft: JournaledDraft): Promise<void> {
    const putUnlessOlder = (store: IDBObjectStore) => {
      const existing = store.get([draft.userId, draft.labelId]);
      existing.onsuccess = () => {
        const kept = existing.result as JournaledDraft | undefined;
        if (!kept || kept.updatedAt <= draft.updatedAt) store.put(draft);
      };
    };
    return this.write(DRAFTS, putUnlessOlder, this.drafts.put(`${draft.userId}:${draft.labelId}`, draft));
  }

  async getDraft(userId: number, labelId: number): Promise<JournaledDraft | null> {
    const key = `${userId}:${labelId}`;
    const store = this.store(DRAFTS, "readonly");
    if (!store) return this.drafts.ofThisTab.get(key) ?? null;
    const stored = (await finished(store.get([userId, labelId]))) as JournaledDraft | undefined;
    return this.drafts.newest(key, stored) ?? null;
  }

  deleteDraft(userId: number, labelId: number): Promise<void> {
    const taken = this.drafts.delete(`${userId}:${labelId}`);
    return this.write(DRAFTS, (store) => store.delete([userId, labelId]), taken);
  }

  putQueued(item: QueuedSubmission): Promise<void> {
    return this.write(OUTBOX, (store) => store.put(item), this.outbox.put(item.key, item));
  }

  /** Waiting submissions of one person, oldest first. */
  async listQueued(userId: number): Promise<QueuedSubmission[]> {
    const all = await this.allQueued();
    return all.filter((item) => item.userId === userId).sort((a, b) => a.queuedAt - b.queuedAt);
  }

  private async allQueued(): Promise<QueuedSubmission[]> {
    const store = this.store(OUTBOX, "readonly");
    // If the store cannot be read, a later page handles what is in it; this tab's own submissions are sent all the
    // same.
    const stored = store && ((await finished(store.getAll()).catch(() => null)) as QueuedSubmission[] | null);
    if (!stored) return [...this.outbox.ofThisTab.values()];
    return this.outbox.newestOfAll(new Map(stored.map((item) => [item.key, item])));
  }

  /** The number of submissions that neither the server nor the device has: they are lost with this page. */
  submissionsHereAlone(): number {
    return this.durable ? 0 : this.outbox.notTaken().length;
  }

  deleteQueued(key: string): Promise<void> {
    return this.write(OUTBOX, (store) => store.delete(key), this.outbox.delete(key));
  }
}

let opened: Promise<Journal> | null = null;

/** The journal of this browser, opened once. Leaving the page asks first if submissions exist only in it. */
export function openJournal(): Promise<Journal> {
  opened ??= Journal.open().then((journal) => {
    window.addEventListener("beforeunload", (event) => journal.submissionsHereAlone() > 0 && event.preventDefault());
    return journal;
  });
  return opened;
}

/** A random id, even without `crypto.randomUUID` (plain HTTP in a local network). */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The name of any browser that stores nothing and so cannot recognise itself. */
export const UNNAMED = "unnamed";

/** This browser's own name, by which it recognises its earlier saves. */
export function writerId(): string {
  try {
    const known = localStorage.getItem("stepmark-writer") ?? newId();
    localStorage.setItem("stepmark-writer", known);
    return known;
  } catch {
    return UNNAMED;
  }
}
