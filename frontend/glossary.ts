import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const NAMES = "virtual:glossary-names";
const MEANINGS = "virtual:glossary";

/** Text of a cell as people read it. */
function plain(cell: string): string {
  return cell
    .replace(/\s*\(\[[^\]]+\]\([^)]+\)\)/g, "") // only leads to another page
    .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .trim();
}

/** The words of docs/glossary.md, each with what it means; words that share a row share their meaning. */
export function glossaryOf(page: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const line of page.split("\n").filter((line) => line.startsWith("| **"))) {
    const [, words = "", means = ""] = line.split(/(?<!\\)\|/);
    for (const [, word = ""] of words.matchAll(/\*\*([^*]+)\*\*/g)) found[word] = plain(means);
  }
  return found;
}

/** Makes two modules of docs/glossary.md: the words, which are little, and what they mean, which is fetched when asked for. */
export function glossary(): Plugin {
  return {
    name: "glossary",
    resolveId: (id) => (id === NAMES || id === MEANINGS ? `\0${id}` : null),
    load(id) {
      if (id !== `\0${NAMES}` && id !== `\0${MEANINGS}`) return null;
      const file = fileURLToPath(new URL("../docs/glossary.md", import.meta.url));
      this.addWatchFile(file);
      const meanings = glossaryOf(readFileSync(file, "utf8"));
      return `export default ${JSON.stringify(id === `\0${NAMES}` ? Object.keys(meanings) : meanings)}`;
    },
  };
}
