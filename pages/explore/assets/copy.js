/** Copying what other programs need: ids, names, paths, a command, the answer itself. */
import { url } from "./api.js";
import { html } from "./html.js";
import { usePage } from "./page.js";
import { text } from "./texts.js";

/** @param {string} text */
export async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Outside of secure contexts there is no clipboard: the selection is copied.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("the browser does not copy");
  return undefined;
}

/**
 * A word that a shell takes as it is.
 * @param {string} text
 */
export function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The request as a command for a shell.
 * @param {string} path
 * @param {import("./api.js").Query} query
 * @param {boolean} hasToken Whether the stack takes tokens.
 */
export function curl(path, query, hasToken) {
  const token = hasToken ? ` --header "Authorization: Bearer $TAXONOMY_TOKEN"` : "";
  return `curl --fail-with-body --compressed${token} ${quoted(url(path, query))}`;
}

/**
 * @param {{ what: string, text: string | (() => Promise<string>), label?: any }} props
 */
export function Copy({ what, text: copied, label }) {
  const { announce } = usePage();
  const copy = async () => {
    try {
      await write(typeof copied === "string" ? copied : await copied());
      announce(text("copy.done", { what }));
    } catch {
      announce(text("copy.failed", { what }));
    }
  };
  return html`<button type="button" class=${label ? "copy" : "copy icon"} aria-label=${text("copy", { what })} title=${text("copy", { what })} onClick=${copy}>
    ${label ?? html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><rect x="5.5" y="5.5" width="8" height="8" rx="1.5" /><path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" /></svg>`}
  </button>`;
}
