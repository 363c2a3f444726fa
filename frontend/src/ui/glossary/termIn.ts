import names from "virtual:glossary-names";

/** Words that say here what they say everywhere: a mark beside each would be noise. */
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

/** The longest word of the glossary that a heading holds, in the singular or the plural; null where it holds none. `whole`: and nothing more. */
export function termIn(heading: string, whole = false): string | null {
  const found = PATTERNS.map(({ name, found }) => ({ name, said: found.exec(heading)?.[0] })).find(({ said }) => said);
  return found && (!whole || found.said === heading) ? found.name : null;
}
