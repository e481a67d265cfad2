/** A change: its operations, and what was before and after. */
import { html } from "../html.js";
import { useShown } from "../page.js";
import { Badge, Text } from "../parts.js";
import { rich, text, word } from "../texts.js";
import { culture as cultureName } from "../words.js";

/** @typedef {import("../answers.js").Change} Change */
/** @typedef {import("../answers.js").NodeState} NodeState */

/** @param {{ change: Change, except?: string[] }} props `except`: what the rest of the row says. */
export function Operations({ change: { operations, fields = [], before, after }, except = [] }) {
  const words = operations.filter((operation) => operation !== "changed" && !except.includes(operation)).map((operation) => word("change", operation));
  const isSaid = (/** @type {string} */ field) => (field === "path" && before?.path !== after?.path) || (field === "notation" && before?.notation !== after?.notation);
  return html`${[...words, ...fields.filter((field) => !isSaid(field)).map((field) => word("field", field))].map((said) => html`<${Badge} key=${said} kind="plain">${said}<//> `)}`;
}

/** What is above a term, by name: the category first. @param {{ state: NodeState }} props */
export function Above({ state: { place } }) {
  const names = place ? [place.category, ...place.ancestors.toReversed()] : [];
  return html`${names.map(({ name, culture }, at) => html`${at > 0 && html`<span class="quiet" aria-hidden="true"> › </span>`}<${Text} text=${name} lang=${culture} />`)}`;
}

/**
 * What became of the name that a reader sees: `same`, `renamed`; or in the reader's language `lost`, `gained`.
 * @param {NodeState} before
 * @param {NodeState} after
 * @param {string} wanted The culture that the reader has chosen.
 */
export function naming(before, after, wanted) {
  if (before.culture === after.culture) return before.name === after.name ? "same" : "renamed";
  const isIn = (/** @type {NodeState} */ state) => language(state.culture) === language(wanted);
  if (isIn(before) && !isIn(after)) return "lost";
  if (isIn(after) && !isIn(before)) return "gained";
  return before.name === after.name ? "same" : "renamed";
}

/** @param {string} tag */
function language(tag) {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
}

/** Two sides, the first struck. @param {{ before: any, after: any }} props */
const Both = ({ before, after }) => html`<del>${before}</del> <span aria-hidden="true">→</span> <ins>${after}</ins>`;

/**
 * Two paths: of what they have alike at both ends an ellipsis.
 * @param {{ before?: string, after?: string }} props
 */
function Paths({ before, after }) {
  if (before === undefined || after === undefined)
    return html`<p class="sides small path"><${Both} before=${html`<${Text} text=${before ?? text("difference.no.path")} />`} after=${html`<${Text} text=${after ?? text("difference.no.path")} />`} /></p>`;
  const { head, tail, sides } = differing(before, after);
  return html`<p class="sides small path" title=${`${before} → ${after}`}>${head > 0 && "…/"}<${Both} before=${html`<${Text} text=${sides[0]} />`} after=${html`<${Text} text=${sides[1]} />`} />${tail > 0 && "/…"}</p>`;
}

/**
 * What differs between two paths, whole segments; on each side at least one.
 * @param {string} before
 * @param {string} after
 */
export function differing(before, after) {
  const paths = [before.split("/"), after.split("/")];
  const least = Math.min(...paths.map(({ length }) => length));
  const [was = [], is = []] = paths;
  let head = 0;
  while (head < least - 1 && was[head] === is[head]) head += 1;
  let tail = 0;
  while (tail < least - 1 - head && was.at(-1 - tail) === is.at(-1 - tail)) tail += 1;
  const sides = paths.map((path) => path.slice(head, path.length - tail).join("/"));
  return { head, tail, sides: /** @type {[string, string]} */ (sides) };
}

/**
 * What a change did beside the name: each part of it that is another on both sides.
 * @param {{ change: Change }} props
 */
export function Details({ change: { before, after, operations } }) {
  const { culture: wanted } = useShown();
  if (!before || !after || after.removed) return null;
  const found = naming(before, after, wanted);
  const named = { before: html`<del><${Text} text=${before.name} lang=${before.culture} /></del>`, language: cultureName(found === "lost" ? before.culture : after.culture), shown: cultureName(found === "lost" ? after.culture : before.culture) };
  const isElsewhere = operations.includes("renamed") && found === "same";
  const isNameAlone = operations.length === 1 && operations[0] === "finalName";
  return html`${found === "lost" && html`<p class="sides small">${rich("difference.lost", named)}</p>`}
    ${found === "gained" && html`<p class="sides small">${rich("difference.gained", named)}</p>`}
    ${isElsewhere && html`<p class="sides small muted">${text("difference.elsewhere")}</p>`}
    ${isNameAlone && before.finalName !== after.finalName && html`<p class="sides small"><${Both} before=${html`<${Text} text=${before.finalName ?? ""} />`} after=${html`<${Text} text=${after.finalName ?? ""} />`} /></p>`}
    ${operations.includes("moved") && html`<p class="sides small">${rich("difference.under", { before: html`<del><${Above} state=${before} /></del>`, after: html`<ins><${Above} state=${after} /></ins>` })}</p>`}
    ${before.path !== after.path && html`<${Paths} before=${before.path} after=${after.path} />`}
    ${before.notation !== after.notation && html`<p class="sides small">${rich("difference.code", { before: html`<del><${Text} text=${before.notation ?? text("difference.no.code")} /></del>`, after: html`<ins><${Text} text=${after.notation ?? text("difference.no.code")} /></ins>` })}</p>`}`;
}

/**
 * Both names where they differ, else the one, and the details: an entry of a timeline.
 * @param {{ change: Change }} props
 */
export function Sides({ change }) {
  const { before, after } = change;
  const was = before && (before.finalName ?? before.name);
  const is = after && (after.finalName ?? after.name);
  if (!after || after.removed) return html`<p class="sides"><del><${Text} text=${was ?? is ?? ""} /></del></p>`;
  if (!before) return html`<p class="sides"><ins><${Text} text=${is ?? ""} lang=${after.culture} /></ins></p>`;
  return html`<p class="sides">
      ${was === is ? html`<${Text} text=${is ?? ""} lang=${after.culture} />` : html`<${Both} before=${html`<${Text} text=${was ?? ""} lang=${before.culture} />`} after=${html`<${Text} text=${is ?? ""} lang=${after.culture} />`} />`}
    </p>
    <${Details} change=${change} />`;
}
