import MarkdownIt from "markdown-it";
import { Dollars } from "./math/dollars";
import { renderTex } from "./math/renderTex";

/**
 * The most of a text that is rendered: more would keep every reader's page busy. The rest is shown as it was written.
 */
const MOST_BLOCKS = 5_000; // paragraphs, items, rows, cells
const MOST_PARTS = 5_000; // formulas, links, code, styled words
const MOST_ADDRESSES = 1_000; // bare addresses that become links
const MOST_MARKUP = 2_000_000; // characters of KaTeX's markup
/** The cost of a code block in paragraphs: an element that scrolls on its own is expensive. */
const OF_CODE = 5;
/** The cost of one character of refused TeX, which was work for KaTeX too. */
const OF_REFUSED = 50;

/** What is left of the limits for the current text. */
const left = { parts: 0, addresses: 0, markup: 0 };

/**
 * Raw HTML is shown as text, no links to scripts are created (markdown-it's own `validateLink`), images are not loaded.
 */
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

/**
 * If there are too many blocks, parse again up to the line of the first one too many, so that a table keeps its first
 * rows and a list its first items.
 */
markdown.core.ruler.after("block", "most_blocks", (state) => {
  let [blocks, line] = [0, 0];
  const beyond = state.tokens.some((token) => {
    if (token.nesting < 0 || token.hidden || token.type === "inline") return false;
    line = token.map?.[0] ?? line; // a cell has the line of its row
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

/** Stop rendering a paragraph at one part too many. The limit is doubled because most parts have words before them. */
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

/** The dollars of each text being parsed. */
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

/** HTML for Markdown written by a member of the project; nothing in the source becomes a tag of its own. */
export function markdownToHtml(source: string): string {
  Object.assign(left, { parts: MOST_PARTS, addresses: MOST_ADDRESSES, markup: MOST_MARKUP });
  return markdown.render(source);
}
