/** What is directly below a term or a category: a list with codes and counts, page by page, and a filter of all that is below. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { usePages, useSettled } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Badge, Loading, More, Problem, Text } from "../parts.js";
import { rich, text } from "../texts.js";
import { number } from "../words.js";

/** Items of a page of the list, and of the filter: the most that the API answers at once. */
const PAGE = 100;
const FOUND = 50;
/** Children from which on there is a filter. */
const MANY = 20;
const FIELDS = "name,culture,notation,deprecated,childCount,descendantCount";

/**
 * @typedef {import("../answers.js").Named & { notation?: string, deprecated: boolean, descendantCount?: number }} Item
 * @param {{ kind: "terms" | "categories", id: number, place: import("../answers.js").TreePlace }} props
 */
export function Children({ kind, id, place }) {
  const { api, state } = usePage();
  const { path, query } = useShown();
  const [typed, setTyped] = useState("");
  const words = useSettled(typed.trim());
  const deprecated = state.retired ? undefined : "exclude";
  const list = usePages(
    /** @returns {Promise<import("../answers.js").Page<Item>>} */
    (cursor, signal) => {
      if (words) return api.get(`${path}/suggest`, { ...query, [kind === "terms" ? "below" : "category"]: id, q: words, limit: FOUND, cursor, deprecated }, { signal, hurried: true });
      const address = kind === "terms" ? `terms/${id}/children` : `categories/${id}/terms`;
      return api.get(`${path}/${address}`, { ...query, depth: kind === "terms" ? undefined : 1, limit: PAGE, cursor, deprecated, fields: FIELDS }, { signal });
    },
    [path, query, kind, id, deprecated, words],
  );
  const { childCount, descendantCount } = place;
  return html`<section class="children" aria-labelledby="children" aria-busy=${list.isLoading ? "true" : "false"}>
    <h2 id="children">${text("children", { count: childCount })}</h2>
    ${descendantCount > childCount && html`<p class="muted small">${text("children.all", { count: descendantCount })}</p>`}
    ${childCount > MANY &&
    html`<input
      type="search"
      aria-label=${text("children.filter")}
      placeholder=${text("children.filter")}
      value=${typed}
      maxlength="200"
      autocomplete="off"
      spellcheck=${false}
      onInput=${(/** @type {InputEvent} */ event) => setTyped(/** @type {HTMLInputElement} */ (event.target).value)}
    />`}
    ${!list.first && !list.error && html`<${Loading} what=${text("loading")} />`}
    ${list.first && list.items.length === 0 && html`<p class="muted" role="status">${words ? text("search.nothing") : text("children.deprecated")}</p>`}
    <ul>${list.items.map((item) => html`<${Child} key=${item.id} item=${item} />`)}</ul>
    ${list.error && html`<${Problem} error=${list.error} again=${list.again} />`}
    <${More} list=${list} total=${words ? undefined : childCount} />
  </section>`;
}

/** @param {{ item: Item }} props */
function Child({ item: { id, name, culture, notation, deprecated, descendantCount } }) {
  const shown = useShown();
  return html`<li>
    <${Link} to=${{ term: id }}>${notation !== undefined && html`<span class="code"><${Text} text=${notation} /></span> `}<${Text} text=${name} lang=${culture} /><//>
    ${culture !== shown.culture && html` <${Badge} kind="culture">${culture}<//>`}
    ${deprecated && html` <${Badge} kind="retired">${text("badge.deprecated")}<//>`}
    ${descendantCount !== undefined && descendantCount > 0 && html` <span class="tally">${rich("children.below", { number: number(descendantCount), count: descendantCount })}</span>`}
  </li>`;
}
