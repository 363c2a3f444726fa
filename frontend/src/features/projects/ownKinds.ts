/** A project's own list of mistakes as text, a kind a line: code | name | when to choose it. */
import type { AfterError } from "@/api/projectTypes";

type Kinds = AfterError["own_kinds"];

export function textOfKinds(kinds: Kinds): string {
  return kinds.map(({ code, title, about }) => [code, title, about].filter(Boolean).join(" | ")).join("\n");
}

/** Blank lines say nothing; a line without a name has its code for one. */
export function kindsFromText(text: string): Kinds {
  return text
    .split("\n")
    .map((line) => line.split("|").map((part) => part.trim()))
    .filter(([code]) => code)
    .map(([code = "", title = "", ...about]) => ({ code, title: title || code, about: about.join(" | ") }));
}
