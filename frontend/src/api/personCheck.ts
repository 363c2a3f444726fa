/** The question who sits there: a request that was refused with `check_again` asks it, a dialog answers it. */
import { Watched } from "./watched";

class PersonCheck extends Watched {
  private waiting: ((proved: boolean) => void)[] = [];
  private dialogs = 0;

  readonly isAsked = () => this.waiting.length > 0;

  /** Whether the person proved it; false at once where no dialog could ask. */
  ask(): Promise<boolean> {
    if (this.dialogs === 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.tell();
    });
  }

  answer(proved: boolean): void {
    const asked = this.waiting;
    this.waiting = [];
    for (const resolve of asked) resolve(proved);
    this.tell();
  }

  /** For `useSyncExternalStore`: whoever subscribes can ask the person. */
  readonly answeredHere = (listener: () => void) => {
    const leave = this.subscribe(listener);
    this.dialogs += 1;
    return () => {
      this.dialogs -= 1;
      leave();
    };
  };
}

export const personCheck = new PersonCheck();
