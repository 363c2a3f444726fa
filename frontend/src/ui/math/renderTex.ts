import katex from "katex";
import { normaliseColumns, normaliseEnvironment } from "./environments";

export interface RenderedTex {
  /** KaTeX's own markup, or null if KaTeX refused the source. */
  html: string | null;
  /** Why KaTeX refused it, in KaTeX's words. */
  error: string | null;
}

/**
 * A formula beyond these limits keeps a page busy for many seconds. In brackets: the largest of 14,000 real formulas.
 */
const MAX_SOURCE = 6_000; // characters (811)
const MAX_CELLS = 400; // in its tables (55)
const MAX_SIGNS = 4_000; // with its macros expanded (617)
const MAX_MARKUP = 300_000; // characters (51,000)
const TOO_LARGE = "It is too large for a page.";
const MAX_CACHED = 3_000;
const cache = new Map<string, RenderedTex>();

const END = "\\end{tabular}";

/**
 * Prepare TeX for KaTeX. `%` starts a comment in TeX, but is a percent sign in text by a model. Unknown environments
 * are replaced by known ones.
 */
function prepare(tex: string): string {
  const percent = tex.replace(/(?<!\\)(\\*)%/g, (whole, slashes: string) =>
    slashes.length % 2 ? whole : `${slashes}\\%`,
  );
  const closed = percent.lastIndexOf(END) + END.length; // a tabular that begins after this is never closed
  const tables = percent.slice(0, closed).replace(/\\begin\{tabular\}[\s\S]*?\\end\{tabular\}/g, normaliseEnvironment);
  return normaliseColumns(tables + percent.slice(closed));
}

/** Plain TeX and LaTeX commands that models write and KaTeX lacks. */
const MACROS = {
  "\\mbox": "\\text{#1}",
  "\\cancelto": "\\cancel{#2}^{#1}",
  "\\arraystretch": "1",
  "\\thinspace": "\\,",
};

/** Options for KaTeX, created for each call because KaTeX writes definitions into `macros`. */
export const TEX_OPTIONS = () => ({
  macros: { ...MACROS },
  trust: false,
  strict: "ignore" as const,
  throwOnError: true,
  maxSize: 12,
  maxExpand: 200,
});

function toMarkup(tex: string, display: boolean): string {
  const options = { ...TEX_OPTIONS(), displayMode: display, output: "htmlAndMathml" as const };
  const markup = katex.renderToString(tex, { ...options, macros: counted(options.macros) });
  if (markup.length > MAX_MARKUP) throw new Error(TOO_LARGE);
  return markup;
}

/**
 * Macros that throw when a formula has too many signs or cells. KaTeX looks up each sign that it meets in its macros,
 * including signs that macros produced; `maxExpand` does not count signs.
 */
function counted<Macros extends object>(macros: Macros): Macros {
  let [signs, cells] = [0, 0];
  return new Proxy(macros, {
    getOwnPropertyDescriptor(all, sign) {
      if (sign === "&" || sign === "\\\\") cells += 1;
      signs += 1;
      if (cells > MAX_CELLS || signs > MAX_SIGNS) throw new Error(TOO_LARGE);
      return Reflect.getOwnPropertyDescriptor(all, sign);
    },
  });
}

function render(tex: string, display: boolean): RenderedTex {
  if (tex.length > MAX_SOURCE) return { html: null, error: `Longer than ${MAX_SOURCE} characters.` };
  // `#1` is the parameter of a macro, which could double its argument at each expansion; `\#` is an ordinary sign.
  if (tex.replace(/\\./gs, "").includes("#")) return { html: null, error: "It has macros with parameters." };
  const prepared = prepare(tex);
  try {
    return { html: toMarkup(prepared, display), error: null };
  } catch (error) {
    // KaTeX throws ParseError for bad TeX and RangeError (stack overflow) for absurd nesting: the text is to blame for
    // both.
    const reason = error instanceof Error ? error.message.replace(/^KaTeX parse error:\s*/, "") : "";
    return moneyInMath(prepared, display, reason) ?? { html: null, error: reason.slice(0, 200) };
  }
}

/** Retry with bare dollars escaped: in `\boxed{$14}`, a bare dollar in math is an amount of money. */
function moneyInMath(tex: string, display: boolean, reason: string): RenderedTex | null {
  if (!reason.startsWith("Can't use function '$'")) return null;
  try {
    return { html: toMarkup(tex.replace(/(^|[^\\])\$/g, "$1\\$"), display), error: null };
  } catch {
    return null; // The first reason is the better one to show.
  }
}

/** KaTeX's markup for a formula; the last 3,000 are cached. */
export function renderTex(tex: string, display: boolean): RenderedTex {
  const key = `${display ? "D" : "I"}${tex}`;
  const known = cache.get(key);
  if (known) {
    cache.delete(key);
    cache.set(key, known);
    return known;
  }
  const rendered = render(tex, display);
  cache.set(key, rendered);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value ?? "");
  return rendered;
}
