import { countOf, formatCount } from "./format";

/** One fault of a file in readable form, whatever the file was for. */
export interface FaultExample {
  line: number;
  field: string;
  found: string;
  do: string;
}

export interface FaultKind {
  kind: string;
  count: number;
  examples: FaultExample[];
}

export interface FoundFaults {
  total: number;
  kinds: FaultKind[];
}

/** The readable name of a kind of fault such as "bad_json". */
export function faultName(kind: string): string {
  const words = kind.replaceAll("_", " ").replace(/\b(json|nul|utf8|csv)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const LINES_NAMED = 5;

/** "line 4", "lines 2, 5, 7": the first places of a kind, so that nobody has to open each kind to know what to fix. */
export function linesWords(examples: readonly FaultExample[]): string {
  const lines = [...new Set(examples.map(({ line }) => line))];
  const named = lines.slice(0, LINES_NAMED).map(String).join(", ");
  return `${lines.length === 1 ? "line" : "lines"} ${named}${lines.length > LINES_NAMED ? ", …" : ""}`;
}

function exampleText(example: FaultExample): string {
  const where = example.field ? `line ${example.line}, ${example.field}` : `line ${example.line}`;
  return `  ${where}: found ${example.found}. ${example.do}`;
}

/** All faults of a file as plain text, to send to its author. */
export function faultsAsText(fileName: string, rows: number, faults: FoundFaults): string {
  const lines = [`${fileName}: ${countOf(rows, "row")} read, ${countOf(faults.total, "fault")} found.`];
  for (const kind of faults.kinds) {
    const shown = kind.examples.length;
    const first = shown < kind.count ? `, the first ${formatCount(shown)} of them` : "";
    lines.push("", `${faultName(kind.kind)}: ${formatCount(kind.count)}${first}`, ...kind.examples.map(exampleText));
  }
  return lines.join("\n");
}
