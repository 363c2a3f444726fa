/** External state that React observes: subscribers hear of every change. */

export abstract class Watched {
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  protected tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A `Watched` whose state is replaced with every change, so that `useSyncExternalStore` can compare it. */
export abstract class Store<State extends object> extends Watched {
  protected abstract state: State;

  readonly getState = () => this.state;

  protected update(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.tell();
  }
}
