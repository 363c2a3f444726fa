/** Confirmation of who is at the device: a request refused with `check_again` asks for it, and a dialog answers. */
import { Watched } from "./watched";

class PersonCheck extends Watched {
  private waiting: ((proved: boolean) => void)[] = [];
  private dialogs = 0;

  readonly isAsked = () => this.waiting.length > 0;

  /** Resolves to whether the person confirmed it; false at once if no dialog can ask. */
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

  /** Subscribe for `useSyncExternalStore`; each subscriber must be able to ask the person. */
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
