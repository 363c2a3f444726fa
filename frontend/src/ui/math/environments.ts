/** TeX environments that occur in text without dollars, and how to rewrite those that KaTeX does not know. */

const MATH_ENVIRONMENTS = new Set(
  [
    "align alignat aligned alignedat array split gather gathered equation multline eqnarray cases dcases rcases",
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix tabular",
  ]
    .join(" ")
    .split(" "),
);

export function isMathEnvironment(name: string): boolean {
  return MATH_ENVIRONMENTS.has(name.replace(/\*$/, ""));
}

/**
 * Rewrite a tabular as an array. A tabular's cells are text, an array's are math: `$x$` cells lose their dollars, the
 * others go into \text{}.
 */
function tabularToArray(source: string): string {
  const body = source
    .replace(/\\begin\{tabular\}(\[[^\]]*\])?/, "\\begin{array}")
    .replace(/\\end\{tabular\}$/, "\\end{array}");
  const columns = /^\\begin\{array\}\s*\{(?:[^{}]|\{[^{}]*\})*\}/.exec(body)?.[0];
  if (!columns) return body;
  const inner = body.slice(columns.length, -"\\end{array}".length);
  const rows = inner.split(/\\\\/).map((row) =>
    row
      .split(/(?<!\\)&/)
      .map(tabularCell)
      .join(" & "),
  );
  return `${columns}${rows.join(" \\\\ ")}\\end{array}`;
}

/**
 * Rewrite one cell. A pattern that opens many times and closes nowhere would be followed to the end each time: hence
 * the checks for a closing brace.
 */
function tabularCell(source: string): string {
  const spanned = source.trimEnd().endsWith("}")
    ? /\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]*\}\s*\{([\s\S]*)\}\s*$/.exec(source)
    : null;
  const cell = spanned ? source.slice(0, spanned.index) + (spanned[2] ?? "") : source;
  let rules = "";
  const rule = () => {
    rules += rules === "" ? "\\hline" : " \\hline";
    return "";
  };
  const closed = cell.lastIndexOf("}") + 1;
  const before = cell.slice(0, closed).replace(/\\hline|\\cline\{[^}]*\}/g, rule);
  const content = (before + cell.slice(closed).replace(/\\hline/g, rule)).trim();
  if (content === "") return rules;
  const formula = /^\$([^$]*)\$$/.exec(content)?.[1];
  return `${rules} ${formula ?? (/^[-+\d.,/() ]+$/.test(content) ? content : `\\text{${content}}`)}`;
}

/** Reduce columns to letters KaTeX knows: repetitions (`*{3}{c}`) are written out, gaps (`@{…}`) and widths removed. */
export function normaliseColumns(source: string): string {
  return source
    .replace(/\\cline\{[^{}]*\}/g, "\\hline")
    .replace(/\\begin\{array\}\s*(?:\[[a-z]\]\s*)?\{((?:[^{}]|\{[^{}]*\})*)\}/g, (_whole, columns: string) => {
      const repeated = columns.replace(/\*\s*\{?(\d{1,2})\}?\s*\{([^{}]*)\}/g, (_all, count: string, letters: string) =>
        letters.repeat(Math.min(40, Number(count))),
      );
      const known = repeated.replace(/[@!>]\s*\{[^{}]*\}/g, "").replace(/[pmb]\s*\{[^{}]*\}/g, "l");
      return `\\begin{array}{${known}}`;
    });
}

/** Rewrite an environment as the same mathematics in one that KaTeX knows. */
export function normaliseEnvironment(source: string): string {
  if (source.startsWith("\\begin{tabular}")) return tabularToArray(source);
  return source
    .replace(/\\(begin|end)\{multline\*?\}/g, "\\$1{gather*}")
    .replace(/\\(begin|end)\{eqnarray\*?\}/g, "\\$1{align*}")
    .replace(/&\s*(=|<|>|\\leq?|\\geq?)\s*&/g, source.includes("eqnarray") ? "&$1" : "$&");
}
