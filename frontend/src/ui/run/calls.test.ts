import { expect, test } from "vitest";
import { ansiPieces, withoutAnsi } from "./ansi";
import { jsonIn, patchLines, readableCall } from "./calls";

test("a command is read as a command, with what else was given beside it", () => {
  expect(readableCall({ cmd: "ls -a", timeout: 5 }, false)).toEqual({
    shape: "shell",
    command: "ls -a",
    rest: [["timeout", 5]],
  });
});

test("a program is no command of a shell", () => {
  expect(readableCall({ code: "print(1)" }, false)).toEqual({ shape: "program", command: "print(1)", rest: [] });
});

test("a replaced text is read as a change, old before new", () => {
  const call = readableCall({ path: "a.py", old_str: "x = 1", new_str: "x = 2\ny = 3" }, true);
  expect(call).toMatchObject({ shape: "diff", path: "a.py", rest: [] });
  expect(call.shape === "diff" && call.lines.map((line) => line.sign + line.text)).toEqual([
    "-x = 1",
    "+x = 2",
    "+y = 3",
  ]);
});

test("a patch keeps its signs, and the lines that name files are none of either", () => {
  expect(
    patchLines("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z")
      .map((line) => line.sign)
      .join(""),
  ).toBe("@@@-+ ");
});

test("arguments that are no JSON stay the text they were", () => {
  expect(readableCall('{"cmd": "ls', false)).toEqual({ shape: "text", text: '{"cmd": "ls' });
});

test("colours of a terminal are kept, and nothing else that it was told to do", () => {
  const shown = "\u001b[1;31mFAILED\u001b[0m a\u001b[2Jb\u001b]0;title\u0007c\u0000";
  expect(withoutAnsi(shown)).toBe("FAILED abc");
  expect(ansiPieces(shown)[0]).toEqual({ text: "FAILED", colour: 1, bold: true });
});

test("a result is a tree only where all of it is JSON that holds something", () => {
  expect(jsonIn(' {"a": [1]} ')).toEqual({ a: [1] });
  for (const text of ["[INFO] ready]", "{}", "[]", "12", '"a"', "{'a': 1}", ""]) expect(jsonIn(text)).toBeUndefined();
});

test("a result of brackets within brackets is the text it was, as fast as it is long, whoever could read it", () => {
  const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  expect(jsonIn(nested(50, "[", "]"))).toBeDefined();
  expect(jsonIn(`["${"[{".repeat(900)}\\"[", {"\\\\": []}]`)).toHaveLength(2);
  const million = 1_000_000;
  for (const text of [
    nested(51, "[", "]"),
    nested(1_990, "[", "]"),
    nested(660, '{"a":', "}"),
    nested(million, "[", "]"),
    nested(million, '[{"a":', "}]"),
    `${'["'.repeat(million)}]`,
  ]) {
    const begun = performance.now();
    expect(jsonIn(text)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(2_000);
  }
});
