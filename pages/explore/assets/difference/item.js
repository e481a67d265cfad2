/** A change: its operations, and what was before and after. */
import { html } from "../html.js";
import { Badge, Text } from "../parts.js";
import { rich, text, word } from "../texts.js";

/** @typedef {import("../answers.js").Change} Change */

/** @param {{ change: Change, except?: string }} props */
export function Operations({ change, except }) {
  const words = change.operations.filter((operation) => operation !== except && operation !== "changed").map((operation) => word("change", operation));
  return html`${[...words, ...(change.fields ?? [])].map((said) => html`<${Badge} key=${said} kind="plain">${said}<//> `)}`;
}

/**
 * The ids of the terms above those that were moved, on both sides: an answer has no names of them.
 * @param {Change[]} changes
 */
export function parents(changes) {
  const moved = changes.filter(({ operations }) => operations.includes("moved"));
  return moved.flatMap(({ before, after }) => [before?.parent, after?.parent]).filter((id) => id !== undefined);
}

/** @param {{ state: import("../answers.js").NodeState, names: Names | undefined }} props */
function Above({ state: { parent, category }, names }) {
  if (parent === undefined) return text("difference.top", { id: category ?? "" });
  const term = names?.get(parent);
  return term ? html`<${Text} text=${term.name} lang=${term.culture} />` : text("difference.term", { id: parent });
}

/**
 * Both sides where they differ, else the one name.
 * @typedef {Map<number, import("../answers.js").Term>} Names
 * @param {{ change: Change, names?: Names }} props `names`: those of the terms above, as far as they are there.
 */
export function Sides({ change: { before, after, operations }, names }) {
  const was = before && (before.finalName ?? before.name);
  const is = after && (after.finalName ?? after.name);
  if (!after || after.removed) return html`<p class="sides"><del><${Text} text=${was ?? is ?? ""} /></del></p>`;
  if (!before) return html`<p class="sides"><ins><${Text} text=${is ?? ""} lang=${after.culture} /></ins></p>`;
  const path = before.path !== after.path ? [before.path, after.path] : [];
  return html`<p class="sides">
      ${was === is ? html`<${Text} text=${is ?? ""} lang=${after.culture} />` : html`<del><${Text} text=${was ?? ""} lang=${before.culture} /></del> <span aria-hidden="true">→</span> <ins><${Text} text=${is ?? ""} lang=${after.culture} /></ins>`}
    </p>
    ${operations.includes("moved") && html`<p class="sides small">${rich("difference.under", { before: html`<del><${Above} state=${before} names=${names} /></del>`, after: html`<ins><${Above} state=${after} names=${names} /></ins>` })}</p>`}
    ${path.some(Boolean) && html`<p class="sides small path"><del><${Text} text=${path[0] ?? text("difference.no.path")} /></del> <span aria-hidden="true">→</span> <ins><${Text} text=${path[1] ?? text("difference.no.path")} /></ins></p>`}
    ${before.notation !== after.notation && html`<p class="sides small">${rich("difference.code", { before: html`<del><${Text} text=${before.notation ?? text("difference.no.code")} /></del>`, after: html`<ins><${Text} text=${after.notation ?? text("difference.no.code")} /></ins>` })}</p>`}`;
}
