import { describe, expect, test, vi } from "vitest";
import { commandNamed, commands, type Workbench } from "./commands";
import { emptyContent, newDraft } from "./draft";
import { FIRST_ERROR } from "./firstError";
import { clashOf, commandFor, commandPressed, keysOf } from "./keyMap";
import { isAssignable, isCommandPress, isFinishingPress, isHeldPress, keyOf, showKey } from "./keys";

function bench(over: Partial<Workbench> = {}): Workbench {
  const nothing = vi.fn();
  return {
    draft: newDraft(FIRST_ERROR, emptyContent(3)),
    referenceAvailable: false,
    earlierLabels: 0,
    canUndoSubmission: false,
    dispatch: nothing,
    open: nothing,
    realise: nothing,
    moveByPage: nothing,
    scrollWide: nothing,
    toggleRaw: nothing,
    toggleChanges: nothing,
    tracing: { on: false, next: nothing, go: nothing, end: nothing },
    toggleLater: nothing,
    hasLater: false,
    isRun: false,
    sayOfRun: nothing,
    copyTex: nothing,
    showReference: nothing,
    submit: nothing,
    undoSubmission: nothing,
    ...over,
  };
}

describe("the command list", () => {
  test("no two commands share a name or a default key", () => {
    const keys = commands.flatMap((command) => command.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(commands.map((command) => command.name)).size).toBe(commands.length);
  });
  test("every default key may be assigned and finds its command", () => {
    for (const command of commands) {
      for (const key of command.keys) {
        expect(isAssignable(key)).toBe(true);
        expect(commandFor(commands, key, {})).toBe(command);
      }
    }
  });
  test("+1 has the cheapest key", () => {
    expect(commandFor(commands, "space", {})?.name).toBe("rate_plus");
  });
});

describe("remapping", () => {
  test("a chosen key replaces the default keys", () => {
    const choices = { rate_plus: "p" };
    expect(commandFor(commands, "p", choices)?.name).toBe("rate_plus");
    expect(commandFor(commands, "space", choices)).toBeNull();
    expect(keysOf(commandNamed("rate_plus"), choices)).toEqual(["p"]);
  });
  test("a key another command has is a clash, with its name", () => {
    expect(clashOf(commands, "give_up", "x", {})?.name).toBe("rate_minus");
    expect(clashOf(commands, "give_up", "-", {})?.name).toBe("rate_minus");
  });
  test("a key freed by remapping is no clash any more", () => {
    expect(clashOf(commands, "give_up", "x", { rate_minus: "n" })).toBeNull();
  });
  test("a command's own key is no clash", () => {
    expect(clashOf(commands, "rate_minus", "x", {})).toBeNull();
  });
});

describe("running", () => {
  test("undo takes back the draft first and the submission after it", () => {
    const dispatch = vi.fn();
    const undoSubmission = vi.fn();
    const undo = commandNamed("undo");
    const empty = newDraft(FIRST_ERROR, emptyContent(2));
    expect(undo.enabled(bench())).toBe(false);
    undo.run(bench({ dispatch, undoSubmission, canUndoSubmission: true }));
    expect(undoSubmission).toHaveBeenCalledOnce();
    undo.run(bench({ dispatch, undoSubmission, draft: { ...empty, past: [{ content: empty.content, focus: 0 }] } }));
    expect(dispatch).toHaveBeenCalledWith({ type: "undo" });
  });
  test("a step after the first −1 offers no rating", () => {
    const draft = newDraft(FIRST_ERROR, { ...emptyContent(3), ratings: [-1, null, null] }, 2);
    for (const name of ["rate_plus", "rate_zero", "rate_minus", "good_up_to_here"]) {
      expect(commandNamed(name).enabled(bench({ draft }))).toBe(false);
    }
  });
});

describe("a key that is held down", () => {
  test("moves on and on, and neither rates nor submits nor undoes", () => {
    for (const command of commands) {
      for (const key of command.keys) {
        const event = new KeyboardEvent("keydown", { ...pressOf(key), repeat: true, cancelable: true });
        expect([command.name, commandPressed(commands, event, {}) !== null]).toEqual([
          command.name,
          command.group === "Move" &&
            !["search", "jump", "later", "next_unrated", "first_step", "last_step"].includes(command.name),
        ]);
        expect(event.defaultPrevented).toBe(true);
      }
    }
  });
  test("presses the button under it once, and goes on with letters in a text", () => {
    const held = (target: Element, key: string) => {
      const event = new KeyboardEvent("keydown", { key, repeat: true, ctrlKey: true });
      Object.defineProperty(event, "target", { value: target });
      return [isHeldPress(event), isFinishingPress(event)];
    };
    expect(held(document.createElement("button"), "Enter")).toEqual([true, false]);
    expect(held(document.createElement("textarea"), "Enter")).toEqual([false, false]);
  });

  function pressOf(key: string): KeyboardEventInit {
    const bare = key.replace("shift+", "");
    return { key: bare === "space" ? " " : bare, shiftKey: key !== bare };
  }
});

describe("moving", () => {
  test("the next step without a rating is looked for from the top again, after the last", () => {
    const focused = (focus: number) => {
      const dispatch = vi.fn();
      const draft = newDraft(FIRST_ERROR, { ...emptyContent(4), ratings: [null, 1, null, 1] }, focus);
      commandNamed("next_unrated").run(bench({ draft, dispatch }));
      return dispatch.mock.calls[0]?.[0].step;
    };
    expect([0, 1, 2, 3].map(focused)).toEqual([2, 2, 0, 0]);
    const error = newDraft(FIRST_ERROR, { ...emptyContent(3), ratings: [1, -1, null] }, 0);
    expect(commandNamed("next_unrated").enabled(bench({ draft: error }))).toBe(false);
  });
});

describe("keys", () => {
  test.each([
    [{ key: " ", shiftKey: false }, "space"],
    [{ key: "Z", shiftKey: true }, "shift+z"],
    [{ key: "?", shiftKey: true }, "?"],
    [{ key: "Enter", shiftKey: false }, "enter"],
    [{ key: "X", shiftKey: false }, "x"],
  ])("%o is %s", (event, name) => {
    expect(keyOf(event)).toBe(name);
  });
  test("keys are shown as their caps", () => {
    expect(showKey("shift+z")).toBe("⇧z");
    expect(showKey("enter")).toBe("↵");
  });
  test("Tab, Escape and function keys stay the browser's", () => {
    for (const key of ["tab", "escape", "f5", "shift+tab", "insert", "shift"]) expect(isAssignable(key)).toBe(false);
  });

  function press(target: Element, init: KeyboardEventInit): boolean {
    document.body.append(target);
    let command = false;
    const listen = (event: KeyboardEvent) => {
      command = isCommandPress(event);
    };
    window.addEventListener("keydown", listen, { once: true });
    target.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, ...init }));
    target.remove();
    return command;
  }

  test("keys are left alone while typing, composing, or with Ctrl, Alt and Meta", () => {
    const page = document.createElement("div");
    expect(press(page, { key: "x" })).toBe(true);
    expect(press(document.createElement("textarea"), { key: "x" })).toBe(false);
    expect(press(document.createElement("input"), { key: "x" })).toBe(false);
    expect(press(page, { key: "x", isComposing: true })).toBe(false);
    expect(press(page, { key: "x", ctrlKey: true })).toBe(false);
    expect(press(page, { key: "x", altKey: true })).toBe(false);
    expect(press(page, { key: "x", metaKey: true })).toBe(false);
    expect(press(document.createElement("dialog"), { key: "x" })).toBe(false);
  });
  test("Space and Enter on a button press the button; other keys stay commands there", () => {
    expect(press(document.createElement("button"), { key: " " })).toBe(false);
    expect(press(document.createElement("button"), { key: "Enter" })).toBe(false);
    expect(press(document.createElement("button"), { key: "x" })).toBe(true);
  });
});
