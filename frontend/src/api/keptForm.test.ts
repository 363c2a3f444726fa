import { act, cleanup, renderHook } from "@testing-library/react";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { pageBelongsTo } from "./client";
import { changedFields, fittingFields, formOfKept, linkKey, useKeptForm } from "./keptForm";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  pageBelongsTo(null);
});

interface Typed {
  name: string;
  k: number | "";
  prm: number | null | undefined;
  grade: boolean;
  rounds: string[];
  switches: Record<string, string>;
}

const EMPTY: Typed = { name: "", k: 4, prm: undefined, grade: true, rounds: ["1", "2"], switches: {} };

const keptOf = (initial: Typed, form: Typed) => JSON.stringify(changedFields(initial, form));

describe("what is kept of a form", () => {
  test("is what differs, so that the rest is as the form begins by then", () => {
    const kept = keptOf(EMPTY, { ...EMPTY, name: "Pilot", k: "" });
    expect(JSON.parse(kept)).toEqual({ name: ["Pilot"], k: [""] });
    const begun = { ...EMPTY, rounds: ["1", "2", "3"] };
    expect(formOfKept(begun, kept)).toEqual({ ...begun, name: "Pilot", k: "" });
  });

  test("knows a choice that was not made from the choice of none", () => {
    expect(formOfKept(EMPTY, keptOf(EMPTY, { ...EMPTY, prm: null })).prm).toBeNull();
    const chosen = { ...EMPTY, prm: 3 };
    expect(formOfKept(chosen, keptOf(chosen, { ...chosen, prm: null })).prm).toBeNull();
    expect(formOfKept(chosen, keptOf(chosen, EMPTY)).prm).toBeUndefined();
    expect(formOfKept(chosen, keptOf(chosen, chosen)).prm).toBe(3);
  });

  test("comes back whatever it was", () => {
    const number = fc.oneof(fc.integer(), fc.constant("" as const));
    const typed: fc.Arbitrary<Typed> = fc.record({
      name: fc.string(),
      k: number,
      prm: fc.option(fc.oneof(fc.integer(), fc.constant(undefined))),
      grade: fc.boolean(),
      rounds: fc.array(fc.string()),
      switches: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.string()),
    });
    fc.assert(
      fc.property(typed, (form) => {
        expect(formOfKept(EMPTY, keptOf(EMPTY, form))).toEqual(form);
      }),
    );
  });

  test("of an older build gives what the form has a field for, with a value of its kind", () => {
    const older = { name: ["Old"], gone: ["x"], rounds: ["1"], switches: [[]], grade: ["yes"], k: [{}] };
    expect(formOfKept(EMPTY, JSON.stringify(older))).toEqual({ ...EMPTY, name: "Old" });
    expect(fittingFields(EMPTY, { toString: "x", name: null, k: "4", prm: true })).toEqual({});
  });

  test.each(["", "{", "null", "[]", '"text"', '{"name":"bare"}', '{"name":["one","two"]}'])(
    "is nothing where it reads %s",
    (text) => expect(formOfKept(EMPTY, text)).toEqual(EMPTY),
  );
});

test("of an address only what fills the form is in its key", () => {
  const params = new URLSearchParams("round=3&tab=x&hasty=exclude&round=4");
  expect(linkKey(params, ["round", "hasty"])).toBe("round=3&round=4&hasty=exclude");
  expect(linkKey(new URLSearchParams("tab=x"), ["round", "hasty"])).toBe("");
});

describe("a form that was left", () => {
  /** The form under a key, opened as a page opens it. */
  function open(key = "round:demo:", initial = EMPTY) {
    const hook = renderHook(({ name }) => useKeptForm(name, () => initial), { initialProps: { name: key } });
    return {
      get: () => hook.result.current,
      set: (changes: Partial<Typed>) => act(() => hook.result.current.set(changes)),
      under: (name: string) => hook.rerender({ name }),
      leave: hook.unmount,
    };
  }

  function leftWith(changes: Partial<Typed>, key?: string) {
    const form = open(key);
    form.set(changes);
    form.leave();
  }

  test("comes back, says so, and starts over", () => {
    leftWith({ name: "Pilot" });
    const form = open();
    expect([form.get().form.name, form.get().cameBack]).toEqual(["Pilot", true]);
    act(() => form.get().startOver());
    expect([form.get().form, form.get().cameBack]).toEqual([EMPTY, false]);
    form.leave();
    expect(open().get().cameBack).toBe(false);
  });

  test("is the form of its key alone: another project's, another link's begins empty", () => {
    leftWith({ name: "Pilot" });
    expect(open("round:other:").get().form).toEqual(EMPTY);
    expect(open("round:demo:prm=3").get().form).toEqual(EMPTY);
  });

  test("follows its page to another address, and back", () => {
    const form = open();
    form.set({ name: "Pilot" });
    form.under("round:demo:prm=3");
    expect([form.get().form, form.get().cameBack]).toEqual([EMPTY, false]);
    form.set({ name: "Other" });
    form.under("round:demo:");
    expect([form.get().form.name, form.get().cameBack]).toEqual(["Pilot", true]);
  });

  test("is nobody else's, and is there for its person again", () => {
    pageBelongsTo(1);
    leftWith({ name: "Pilot" });
    pageBelongsTo(2);
    expect(open().get().form).toEqual(EMPTY);
    pageBelongsTo(1);
    expect(open().get().form.name).toBe("Pilot");
  });

  test("stays its person's while their login ran out", () => {
    pageBelongsTo(1);
    const form = open();
    form.set({ name: "Pil" });
    pageBelongsTo(null);
    form.set({ name: "Pilot" });
    expect(form.get().form.name).toBe("Pilot");
    form.leave();
    expect(open().get().form).toEqual(EMPTY);
    pageBelongsTo(1);
    expect(open().get().form.name).toBe("Pilot");
  });

  test("is forgotten when it is given up, and kept again from the next key", () => {
    const form = open();
    form.set({ name: "Pilot", k: 7 });
    act(() => form.get().forget({ name: "" }));
    expect(form.get().form).toEqual({ ...EMPTY, k: 7 });
    expect(open().get().form).toEqual(EMPTY);
    form.set({ name: "Second" });
    expect(open().get().form).toEqual({ ...EMPTY, name: "Second", k: 7 });
  });

  test("is forgotten when it was taken, even after its page was left; what is refused stays", async () => {
    const form = open();
    form.set({ name: "Pilot" });
    const told: string[] = [];
    await act(async () => form.get().sent(Promise.reject(new Error("taken")), () => told.push("refused")));
    expect(open().get().form.name).toBe("Pilot");
    const { sent } = form.get();
    form.leave();
    await act(async () => sent(Promise.resolve(), () => told.push("gone on")));
    expect([open().get().form, told]).toEqual([EMPTY, []]);
  });

  test("is there until the page goes where the browser keeps nothing", () => {
    const full = Object.getOwnPropertyDescriptor(Storage.prototype, "setItem");
    Object.defineProperty(Storage.prototype, "setItem", {
      configurable: true,
      value: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    });
    leftWith({ name: "Pilot" });
    const form = open();
    expect(form.get().form.name).toBe("Pilot");
    act(() => form.get().forget());
    if (full) Object.defineProperty(Storage.prototype, "setItem", full);
    expect(open().get().form).toEqual(EMPTY);
  });
});
