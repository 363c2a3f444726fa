/** The most readable form of a tool call: a command, a change of a file, or its arguments. Pure. */

export interface DiffLine {
  sign: "+" | "-" | "@" | " ";
  text: string;
}

export type ReadableCall =
  | { shape: "shell" | "program"; command: string; rest: [string, unknown][] }
  | { shape: "diff"; path: string; lines: DiffLine[]; rest: [string, unknown][] }
  | { shape: "text"; text: string }
  | { shape: "arguments"; rest: [string, unknown][] };

const COMMANDS = ["command", "cmd", "keystrokes"];
const PROGRAMS = ["code", "script"];
const PATHS = ["path", "file_path", "filename", "file"];
const OLD = ["old_str", "old_string", "search"];
const NEW = ["new_str", "new_string", "replace", "file_text", "content", "text"];
const PATCHES = ["patch", "diff", "input"];

export function readableCall(given: unknown, isEdit: boolean): ReadableCall {
  if (typeof given === "string") {
    return isPatch(given)
      ? { shape: "diff", path: "", lines: patchLines(given), rest: [] }
      : { shape: "text", text: given };
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { shape: "text", text: JSON.stringify(given) ?? "" };
  const entries = Object.entries(given as Record<string, unknown>);
  const text = (names: string[]) => entries.find(([name, value]) => names.includes(name) && typeof value === "string");
  const without = (...used: (readonly [string, unknown] | undefined)[]) =>
    entries.filter(([name]) => !used.some((one) => one?.[0] === name));
  const patch = text(PATCHES);
  if (patch && isPatch(String(patch[1])))
    return { shape: "diff", path: "", lines: patchLines(String(patch[1])), rest: without(patch) };
  const [path, before, after] = [text(PATHS), text(OLD), text(NEW)];
  if ((isEdit || before) && after) {
    const lines = [...signed("-", before?.[1]), ...signed("+", after[1])];
    return { shape: "diff", path: String(path?.[1] ?? ""), lines, rest: without(path, before, after) };
  }
  const command = text(COMMANDS);
  if (command) return { shape: "shell", command: String(command[1]), rest: without(command) };
  const program = text(PROGRAMS);
  if (program) return { shape: "program", command: String(program[1]), rest: without(program) };
  return { shape: "arguments", rest: entries };
}

function isPatch(text: string): boolean {
  return /^(diff --git |--- |\*\*\* Begin Patch|@@ )/m.test(text.slice(0, 400)) && /^[+-]/m.test(text);
}

export function patchLines(patch: string): DiffLine[] {
  return patch.split("\n").map((line) => {
    if (/^(diff |index |--- |\+\+\+ |@@|\*\*\*)/.test(line)) return { sign: "@", text: line };
    const sign = line[0] === "+" || line[0] === "-" ? line[0] : " ";
    return { sign, text: sign === " " ? line : line.slice(1) };
  });
}

function signed(sign: "+" | "-", text: unknown): DiffLine[] {
  return typeof text === "string" && text !== "" ? text.split("\n").map((line) => ({ sign, text: line })) : [];
}

/**
 * The most levels of a tree. Each level is boxes within boxes, and a browser that lays out thousands of levels crashes
 * the page.
 */
export const DEEPEST = 50;

/** The object or list that a text contains as JSON; undefined for any other text, or if it is too deep for a tree. */
export function jsonIn(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[{[]/.test(trimmed) || !/[}\]]$/.test(trimmed) || isDeep(trimmed)) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === "object" && value !== null && Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Is the JSON too deep? Checked character by character before anything decodes it: no pattern or recursion that a long
 * text could overflow.
 */
function isDeep(json: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length && depth <= DEEPEST; at += 1) {
    const sign = json[at];
    if (sign === '"') quoted = !quoted;
    else if (quoted) at += Number(sign === "\\");
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
  }
  return depth > DEEPEST;
}
