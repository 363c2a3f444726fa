import MarkdownIt from "markdown-it";
import { Dollars } from "./math/dollars";
import { renderTex } from "./math/renderTex";

/** Raw HTML is shown as text, links to scripts are not made (markdown-it's own `validateLink`), images are not loaded. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable("image");

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
  return renderTex(tex, false).html ?? `<code>${markdown.utils.escapeHtml(tex)}</code>`;
};

const openLink = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
  tokens[index]?.attrSet("rel", "noopener noreferrer");
  tokens[index]?.attrSet("target", "_blank");
  return openLink ? openLink(tokens, index, options, env, self) : self.renderToken(tokens, index, options);
};

/** HTML of Markdown written by a person of the project; nothing in the source becomes a tag of its own. */
export function markdownToHtml(source: string): string {
  return markdown.render(source);
}
