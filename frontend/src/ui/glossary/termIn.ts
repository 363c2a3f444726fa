import names from "virtual:glossary-names";

/** Words that mean here what they mean everywhere: a mark next to each would be noise. */
const PLAIN = new Set(
  [
    "project",
    "problem",
    "step",
    "sample",
    "label",
    "role",
    "member",
    "invitation",
    "import",
    "export",
    "notice",
  ].concat([
    "report",
    "progress",
    "review",
    "resume",
    "revise",
    "claim",
    "submit",
    "release",
    "expire",
    "settings",
    "score",
    "worker",
  ]),
);

const LONGEST_FIRST = names.filter((name) => !PLAIN.has(name)).sort((a, b) => b.length - a.length);
const PATTERNS = LONGEST_FIRST.map((name) => ({
  name,
  found: new RegExp(
    `(?<![\\p{L}-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/y$/, "(?:y|ie)")}s?(?![\\p{L}-])`,
    "iu",
  ),
}));

/**
 * The longest glossary word in a heading, singular or plural; null if there is none. With `whole`, the heading must be
 * exactly that word.
 */
export function termIn(heading: string, whole = false): string | null {
  const found = PATTERNS.map(({ name, found }) => ({ name, said: found.exec(heading)?.[0] })).find(({ said }) => said);
  return found && (!whole || found.said === heading) ? found.name : null;
}
