/** Texts of the document: Markdown, of which they use only code and links. */
import { html } from "../html.js";

const MARKS = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

/**
 * @param {{ text: string }} props
 */
export function Prose({ text }) {
  /** @type {any[]} */
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, words] = match;
    parts.push(text.slice(end, match.index), code !== undefined ? html`<code>${code}</code>` : words);
    end = match.index + whole.length;
  }
  return html`${[...parts, text.slice(end)]}`;
}
