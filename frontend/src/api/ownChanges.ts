/**
 * This tab's changes to one store of the journal, kept until the store has accepted them. All tabs share the store, and
 * each knows only its own changes: once the store has accepted a row, the store's version counts.
 */

interface Change<Row> {
  /** Null if the row was deleted. */
  row: Row | null;
  at: number;
}

export class OwnChanges<Row> {
  /** All rows that this tab put and did not delete: all that is left when the store cannot be read. */
  readonly ofThisTab = new Map<string, Row>();
  private readonly pending = new Map<string, Change<Row>>();
  /** Keys that have been in the store. */
  private readonly stored = new Set<string>();

  /**
   * @param changedAt when a row was last changed; epoch ms.
   * @param once each key is used once: a row that was in the store and is gone has been handled by another tab.
   */
  constructor(
    private readonly changedAt: (row: Row) => number,
    private readonly once: boolean,
  ) {}

  /** @returns what to call when the store has accepted the row. */
  put(key: string, row: Row): () => void {
    this.ofThisTab.set(key, row);
    return this.change(key, { row, at: this.changedAt(row) });
  }

  /** @returns what to call when the store has accepted the deletion. */
  delete(key: string): () => void {
    this.ofThisTab.delete(key);
    return this.change(key, { row: null, at: Date.now() });
  }

  private change(key: string, change: Change<Row>): () => void {
    this.pending.set(key, change);
    return () => {
      if (change.row) this.stored.add(key);
      // A later change of the same row may still be waiting, or have failed.
      if (this.pending.get(key) === change) this.pending.delete(key);
    };
  }

  /** The current row, from the store's version and the change it has not accepted. */
  newest(key: string, stored: Row | undefined): Row | undefined {
    if (stored) this.stored.add(key);
    const change = this.pending.get(key);
    if (!change) return stored;
    if (stored && this.changedAt(stored) > change.at) return stored;
    if (!stored && this.once && this.stored.has(key)) return undefined;
    return change.row ?? undefined;
  }

  /** Rows that exist only in this tab. */
  notTaken(): Row[] {
    return [...this.pending.values()].map((change) => change.row).filter((row) => row !== null);
  }

  newestOfAll(stored: ReadonlyMap<string, Row>): Row[] {
    const keys = new Set([...stored.keys(), ...this.pending.keys()]);
    return [...keys].map((key) => this.newest(key, stored.get(key))).filter((row) => row !== undefined);
  }
}
