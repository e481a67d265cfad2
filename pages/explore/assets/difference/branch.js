/** The rows of a difference: categories, and below them what changed, each at its place. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { Badge, Text } from "../parts.js";
import { text, word } from "../texts.js";
import { number } from "../words.js";
import { rowCount, rows, size } from "./forest.js";
import { Details, naming, Operations } from "./item.js";

/** Rows that a category shows at first, and how many more by a command. */
const STEP = 60;
/** What a row says by its names and its first badge. */
const SAID = ["added", "removed", "moved", "renamed", "finalName"];
/** Following changes that are listed at once. */
const MOST_FOLLOWING = 30;

/** @typedef {import("./forest.js").Branch} Branch */
/** @typedef {import("./forest.js").Row} Row */
/** @typedef {import("../answers.js").ChangedNode} ChangedNode */

/**
 * A category with its changes. Its number is that of the whole difference, as far as the service counts it.
 * @param {{ branch: Branch, from: number, counted?: number, isOpen: boolean, isWhole: boolean }} props `isWhole`: all of it has been read.
 */
export function CategoryBranch({ branch, from, counted, isOpen: isOpenAtFirst, isWhole }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [most, setMost] = useState(STEP);
  const all = rows(branch.below, { left: Infinity });
  const shown = rows(branch.below, { left: most });
  const rest = rowCount(all) - rowCount(shown);
  const id = `changes-${branch.key}`;
  return html`<section class="changes">
    <h2>
      <button type="button" class="twist" aria-expanded=${isOpen ? "true" : "false"} aria-controls=${id} aria-label=${text("difference.open", { name: branch.node.name })} onClick=${() => setOpen(!isOpen)}>
        <svg viewBox="0 0 16 16" width="12" height="12" class=${isOpen ? "open" : ""} aria-hidden="true"><path d="M5.5 3l5 5-5 5" /></svg>
      </button>
      <${Named} branch=${branch} from=${from} />
      <span class="count"> ${counted === undefined ? `${number(size(branch))}${isWhole ? "" : "+"}` : number(counted)}</span>
    </h2>
    <div id=${id} hidden=${!isOpen}>
      ${isOpen &&
      html`${branch.item && html`<${Details} change=${branch.item} />`}
        <${Following} items=${branch.following} from=${from} isWhole=${isWhole} />
        <${Rows} shown=${shown} from=${from} isWhole=${isWhole} />
        ${rest > 0 && html`<button type="button" onClick=${() => setMost(most + STEP)}>${text("difference.rest", { count: rest })}</button>`}`}
    </div>
  </section>`;
}

/** @param {{ shown: Row[], from: number, isWhole: boolean }} props */
function Rows({ shown, from, isWhole }) {
  if (shown.length === 0) return null;
  return html`<ul class="branches">
    ${shown.map(
      ({ trail, branch, below }) => html`<li key=${branch.key}>
        <div class="branch">
          ${trail.map((above) => html`<${Named} key=${above.key} branch=${above} from=${from} /><span class="quiet" aria-hidden="true"> › </span>`)}
          <${Named} branch=${branch} from=${from} />
          ${branch.item && html` <${Operations} change=${branch.item} except=${SAID} /><${Details} change=${branch.item} />`}
          <${Following} items=${branch.following} from=${from} isWhole=${isWhole} />
        </div>
        <${Rows} shown=${below} from=${from} isWhole=${isWhole} />
      </li>`,
    )}
  </ul>`;
}

/**
 * The name, which is the link. An unchanged one is quiet.
 * @param {{ branch: Branch, from: number }} props
 */
function Named({ branch: { kind, node, item }, from }) {
  const { culture } = useShown();
  if (!item) return html`<${Link} class="unchanged" to=${kind === "term" ? { term: node.id } : { category: node.id }}><${Text} text=${node.name} lang=${node.culture} /><//>`;
  return html`<${Change} item=${item} from=${from} culture=${culture} />`;
}

/** @param {{ item: ChangedNode, from: number, culture: string }} props */
function Change({ item, from, culture }) {
  const { before, after, kind, id } = item;
  const to = kind === "term" ? { term: id } : { category: id };
  const sign = before ? (after ? undefined : "removed") : "added";
  const mark = sign ?? (item.operations.includes("moved") ? "moved" : undefined);
  const code = (after ?? before)?.notation;
  return html`${mark && html`<${Badge} kind=${mark}>${word("change", mark)}<//> `}${!after && before
      ? html`<${Link} to=${{ ...to, version: from, compare: undefined }}><del><${Text} text=${before.name} lang=${before.culture} /></del><//>`
      : after && html`${before && naming(before, after, culture) === "renamed" && html`<del><${Text} text=${before.name} lang=${before.culture} /></del> <span aria-hidden="true">→</span> `}<${Link} to=${to}>${before ? html`<${Text} text=${after.name} lang=${after.culture} />` : html`<ins><${Text} text=${after.name} lang=${after.culture} /></ins>`}<//>`}${code && html` <code class="quiet"><${Text} text=${code} /></code>`}`;
}

/**
 * What changed because of the change above it: said once, listed by command.
 * @param {{ items: ChangedNode[], from: number, isWhole: boolean }} props
 */
function Following({ items, from, isWhole }) {
  const [most, setMost] = useState(0);
  const { announce } = usePage();
  const { culture } = useShown();
  if (items.length === 0) return null;
  const listed = items.slice(0, most);
  const toggle = () => {
    setMost(most ? 0 : MOST_FOLLOWING);
    if (!most) announce(text("difference.follow", { count: items.length }));
  };
  return html`<div class="following small">
    <button type="button" class="quiet" aria-expanded=${most ? "true" : "false"} onClick=${toggle}>${text(isWhole ? "difference.follow" : "difference.follow.some", { count: items.length })}</button>
    ${most > 0 && html`<ul>${listed.map((item) => html`<li key=${item.id}><${Change} item=${item} from=${from} culture=${culture} /><${Details} change=${item} /></li>`)}</ul>`}
    ${most > 0 && items.length > most && html`<button type="button" onClick=${() => setMost(most + MOST_FOLLOWING)}>${text("difference.rest", { count: items.length - most })}</button>`}
  </div>`;
}
