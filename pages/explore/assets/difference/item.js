/** A change: its operations, and what was before and after. */
import { html } from "../html.js";
import { Badge, Text } from "../parts.js";
import { WORDS } from "./groups.js";

/** @typedef {import("../answers.js").Change} Change */

/** @param {{ change: Change, except?: string }} props */
export function Operations({ change, except }) {
  const words = change.operations.filter((operation) => operation !== except && operation !== "changed").map((operation) => WORDS[operation] ?? operation);
  return html`${[...words, ...(change.fields ?? [])].map((word) => html`<${Badge} key=${word} kind="plain">${word}<//> `)}`;
}

/**
 * The two sides where they are told apart, else the one name.
 * @param {{ change: Change }} props
 */
export function Sides({ change: { before, after } }) {
  const was = before && (before.finalName ?? before.name);
  const is = after && (after.finalName ?? after.name);
  if (!after || after.removed) return html`<p class="sides"><del><${Text} text=${was ?? is ?? ""} /></del></p>`;
  if (!before) return html`<p class="sides"><ins><${Text} text=${is ?? ""} lang=${after.culture} /></ins></p>`;
  const path = before.path !== after.path ? [before.path, after.path] : [];
  return html`<p class="sides">
      ${was === is ? html`<${Text} text=${is ?? ""} lang=${after.culture} />` : html`<del><${Text} text=${was ?? ""} lang=${before.culture} /></del> <span aria-hidden="true">→</span> <ins><${Text} text=${is ?? ""} lang=${after.culture} /></ins>`}
    </p>
    ${path.some(Boolean) && html`<p class="sides small path"><del><${Text} text=${path[0] ?? "no path"} /></del> <span aria-hidden="true">→</span> <ins><${Text} text=${path[1] ?? "no path"} /></ins></p>`}
    ${before.notation !== after.notation && html`<p class="sides small">notation <del><${Text} text=${before.notation ?? "none"} /></del> <span aria-hidden="true">→</span> <ins><${Text} text=${after.notation ?? "none"} /></ins></p>`}`;
}
