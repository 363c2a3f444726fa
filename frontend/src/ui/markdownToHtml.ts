import MarkdownIt from "markdown-it";
import { Dollars } from "./math/dollars";
import { renderTex } from "./math/renderTex";

/** So much of a text is drawn; more of it keeps the page of each reader busy. The rest is shown as it was written. */
const MOST_BLOCKS = 5_000; // paragraphs, items, rows, cells
const MOST_PARTS = 5_000; // formulas, links, code, words in a style of their own
const MOST_ADDRESSES = 1_000; // of bare addresses that become links
const MOST_MARKUP = 2_000_000; // characters of KaTeX's
/** In paragraphs: what scrolls on its own is dear. */
const OF_CODE = 5;
/** What is refused was work for KaTeX, too: so much for a character of its source. */
const OF_REFUSED = 50;

/** Of the text that is being read. */
const left = { parts: 0, addresses: 0, markup: 0 };

/** Raw HTML is shown as text, links to scripts are not made (markdown-it's own `validateLink`), images are not loaded. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable("image");

const { linkify } = markdown;
const [matchesOf, matchAtStart] = [linkify.match.bind(linkify), linkify.matchAtStart.bind(linkify)];
linkify.match = (text) => {
  const found = matchesOf(text)?.slice(0, left.addresses) ?? [];
  left.addresses -= found.length;
  return found;
};
linkify.matchAtStart = (text) => {
  const found = left.addresses > 0 ? matchAtStart(text) : null;
  if (found) left.addresses -= 1;
  return found;
};

/** Read again up to the line with one block too many, so that a table keeps its first rows and a list its first items. */
markdown.core.ruler.after("block", "most_blocks", (state) => {
  let [blocks, line] = [0, 0];
  const beyond = state.tokens.some((token) => {
    if (token.nesting < 0 || token.hidden || token.type === "inline") return false;
    line = token.map?.[0] ?? line; // a cell stands in the line of its row
    blocks += token.tag === "code" ? OF_CODE : 1;
    return blocks > MOST_BLOCKS;
  });
  if (!beyond) return;
  const lines = state.src.split("\n");
  state.tokens = [];
  state.md.block.parse(lines.slice(0, line).join("\n"), state.md, state.env, state.tokens);
  const said = (content: string) => Object.assign(new state.Token("html_block", "", 0), { content });
  const rest = Object.assign(new state.Token("code_block", "code", 0), { content: lines.slice(line).join("\n") });
  const title = "This text is too long to render. The rest, as it was written";
  state.tokens.push(said(`<details><summary>${title}</summary>\n`), rest, said("</details>\n"));
});

/** A paragraph is read up to one part too many; most parts have words before them. */
markdown.inline.ruler.before("text", "most_parts", (state, silent) => {
  if (silent || state.tokens.length < 2 * left.parts) return false;
  const rest = state.push("code_inline", "code", 0);
  rest.content = state.src.slice(state.pos, state.posMax);
  rest.attrSet("title", "The text is too long to render. The rest is shown as it was written.");
  state.pos = state.posMax;
  return true;
});
markdown.inline.ruler2.push("count_parts", (state) => {
  left.parts -= state.tokens.filter(
    ({ type, nesting }) => nesting >= 0 && !type.startsWith("text") && type !== "softbreak",
  ).length;
  left.parts = Math.max(0, left.parts);
});

/** Of each text that is being read. */
const dollarsOf = new WeakMap<object, Dollars>();

markdown.inline.ruler.before("escape", "formula", (state, silent) => {
  if (state.src[state.pos] !== "$") return false;
  const dollars = dollarsOf.get(state) ?? new Dollars(state.src);
  dollarsOf.set(state, dollars);
  const end = dollars.formulaEnd(state.pos);
  if (end < 0) return false;
  if (!silent) state.push("formula", "", 0).content = state.src.slice(state.pos + 1, end);
  state.pos = end + 1;
  return true;
});

markdown.renderer.rules.formula = (tokens, index) => {
  const tex = tokens[index]?.content ?? "";
  const html = left.markup > 0 ? renderTex(tex, false).html : null;
  left.markup -= html?.length ?? OF_REFUSED * tex.length;
  return html ?? `<code>${markdown.utils.escapeHtml(tex)}</code>`;
};

const openLink = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  tokens[index]?.attrSet("rel", "noopener noreferrer");
  tokens[index]?.attrSet("target", "_blank");
  return openLink ? openLink(tokens, index, options, env, self) : self.renderToken(tokens, index, options);
};

/** HTML of Markdown written by a person of the project; nothing in the source becomes a tag of its own. */
export function markdownToHtml(source: string): string {
  Object.assign(left, { parts: MOST_PARTS, addresses: MOST_ADDRESSES, markup: MOST_MARKUP });
  return markdown.render(source);
}
