/**
 * What this tab changed in one store of the journal, for as long as the store has not taken it. All tabs share the store,
 * and each knows only of its own changes: where the store took a row, the store is believed.
 */

interface Change<Row> {
  /** Null: it was deleted. */
  row: Row | null;
  at: number;
}

export class OwnChanges<Row> {
  /** All rows that this tab put and did not delete: what is left where no store can be read. */
  readonly ofThisTab = new Map<string, Row>();
  private readonly pending = new Map<string, Change<Row>>();
  /** Keys that the store has had. */
  private readonly stored = new Set<string>();

  /**
   * @param changedAt when a row was last changed; epoch ms.
   * @param once each key comes once: what the store had and has no more, another tab is done with.
   */
  constructor(
    private readonly changedAt: (row: Row) => number,
    private readonly once: boolean,
  ) {}

  /** @returns what to call when the store has taken it. */
  put(key: string, row: Row): () => void {
    this.ofThisTab.set(key, row);
    return this.change(key, { row, at: this.changedAt(row) });
  }

  /** @returns what to call when the store has taken it. */
  delete(key: string): () => void {
    this.ofThisTab.delete(key);
    return this.change(key, { row: null, at: Date.now() });
  }

  private change(key: string, change: Change<Row>): () => void {
    this.pending.set(key, change);
    return () => {
      if (change.row) this.stored.add(key);
      // A later change of the same row may still wait, or have failed.
      if (this.pending.get(key) === change) this.pending.delete(key);
    };
  }

  /** The row as it stands, from what the store has of it and what it did not take. */
  newest(key: string, stored: Row | undefined): Row | undefined {
    if (stored) this.stored.add(key);
    const change = this.pending.get(key);
    if (!change) return stored;
    if (stored && this.changedAt(stored) > change.at) return stored;
    if (!stored && this.once && this.stored.has(key)) return undefined;
    return change.row ?? undefined;
  }

  /** Rows that are in this tab and nowhere else. */
  notTaken(): Row[] {
    return [...this.pending.values()].map((change) => change.row).filter((row) => row !== null);
  }

  newestOfAll(stored: ReadonlyMap<string, Row>): Row[] {
    const keys = new Set([...stored.keys(), ...this.pending.keys()]);
    return [...keys].map((key) => this.newest(key, stored.get(key))).filter((row) => row !== undefined);
  }
}
