/** The difference of two versions: its totals first, then what changed, each at its place in the tree. */
import { Copy } from "../copy.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { Heading, Loading, Problem } from "../parts.js";
import { format } from "../state.js";
import { text } from "../texts.js";
import { number } from "../words.js";
import { CategoryBranch } from "./branch.js";
import { CsvButton } from "./csv.js";
import { forest } from "./forest.js";
import { Pickers } from "./pickers.js";
import { useDifference } from "./read.js";
import { Filters, shownCount, Totals } from "./totals.js";

/** Changes up to which all categories are open at first. */
const OPEN = 60;

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function DifferencePane({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { tenant, path, culture, version: to } = useShown();
  const { compare: from = to, operation, within } = state;
  const query = { from, to, culture, operation, category: within, include: "places" };
  const { first, items, isReading, error, more } = useDifference(api, path, query);
  const totals = first?.totals;
  const categories = forest(items);
  const count = totals && shownCount(totals, { operation, within });
  const isWhole = !isReading && !more;
  const counted = new Map(operation === undefined ? totals?.byCategory?.map(({ id, items }) => [id, items]) : totals?.byCategory?.map(({ id, operations }) => [id, operations[operation] ?? 0]));
  // To this version, whatever is served when the link is followed.
  const link = () => `${location.origin}${location.pathname}${format({ ...state, version: to, asOf: undefined })}`;
  return html`<article class="difference" aria-busy=${isReading ? "true" : "false"}>
    <${Heading} text=${text("difference", { from, to })} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    <${Pickers} from=${from} to=${to} />
    <p class="actions">
      <${Copy} what=${text("copy.link.page")} text=${link()} label=${text("difference.link")} />
      ${items.length > 0 && html`<${CsvButton} path=${path} query=${query} name=${`${tenant}-${from}-${to}.csv`} count=${totals?.atMost ? undefined : count} />`}
      <${Link} class="button" to=${{ compare: undefined }}>${text("difference.end")}<//>
    </p>
    ${!first && !error && html`<${Loading} what=${text("loading.difference")} />`}
    ${first?.defaultCulture && html`<p class="callout">${text("difference.language", first.defaultCulture)}</p>`}
    ${totals && (totals.categories + totals.terms > 0 ? html`<${Totals} totals=${totals} /><${Filters} totals=${totals} />` : html`<p role="status">${text(from === to ? "difference.same" : "difference.none")}</p>`)}
    ${categories.map(
      (branch, at) => html`<${CategoryBranch}
        key=${`${branch.key}${operation}${within}`}
        branch=${branch}
        from=${from}
        counted=${counted.get(branch.node.id)}
        isOpen=${at === 0 || within !== undefined || (count ?? items.length) <= OPEN}
        isWhole=${isWhole}
      />`,
    )}
    ${isReading && items.length > 0 && html`<p class="muted" role="status">${text("difference.reading", { read: number(items.length) })}</p>`}
    ${error !== undefined && html`<${Problem} error=${error} again=${more} />`}
    ${more && error === undefined && html`<button type="button" onClick=${more}>${text("difference.more")}</button>`}
  </article>`;
}
