/** A project's own list of kinds of mistakes as text, one per line: code | name | when to choose it. */
import type { AfterError } from "@/api/projectTypes";

type Kinds = AfterError["own_kinds"];

export function textOfKinds(kinds: Kinds): string {
  return kinds.map(({ code, title, about }) => [code, title, about].filter(Boolean).join(" | ")).join("\n");
}

/** Blank lines are skipped. A line without a name uses its code as the name. */
export function kindsFromText(text: string): Kinds {
  return text
    .split("\n")
    .map((line) => line.split("|").map((part) => part.trim()))
    .filter(([code]) => code)
    .map(([code = "", title = "", ...about]) => ({ code, title: title || code, about: about.join(" | ") }));
}
