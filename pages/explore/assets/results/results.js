/** The page of all results of a text: counted, narrowed, page by page. */
import { useEffect } from "../vendor/hooks.js";
import { html } from "../html.js";
import { useLoaded } from "../load.js";
import { Link, usePage, useShown } from "../page.js";
import { Heading, Loading, Problem, Text } from "../parts.js";
import { places } from "../search/hits.js";
import { NothingFound } from "../search/nothing_found.js";
import { Code, Name, Place, Why } from "../search/option.js";
import { useTerms } from "../term/names.js";
import { rich, text } from "../texts.js";
import { number } from "../words.js";
import { Facets } from "./facets.js";
import { PAGE, parameters, readPage } from "./search.js";
import { Take } from "./take.js";

/** The most results that the pages of the service have. */
const MOST = 1000 + PAGE;

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
export function ResultsPane({ wantsFocus, onFocus }) {
  const { api, state, announce } = usePage();
  const { path, query, version } = useShown();
  const asked = state.q ?? "";
  const page = state.page ?? 1;
  const wanted = { ...query, ...parameters(state) };
  const of = JSON.stringify([asked, path, query]);
  const loaded = useLoaded(async (signal) => ({ of, ...(await readPage(api, path, wanted, page, signal)) }), [path, wanted, page]);
  // What stays until the new answer is there is of the same text, never of another one.
  const { first, current } = loaded.value?.of === of ? loaded.value : {};
  const items = current?.items ?? [];
  const named = useLoaded(items.length ? (signal) => places(api, { path, query, items }, signal) : null, [path, query, items.map(({ kind, id }) => kind + id)]);
  const isMinimum = first ? first.totalIsMinimum || first.truncated : false;
  const total = first ? text(isMinimum ? "results.least" : "results", { count: first.total }) : "";
  useEffect(() => {
    if (total && !loaded.isLoading) announce(total);
  }, [total, loaded.isLoading]);
  const most = Math.min(first?.total ?? 0, MOST);
  const start = (page - 1) * PAGE;
  return html`<article class="results" aria-busy=${loaded.isLoading ? "true" : "false"}>
    <${Heading} text=${text("results.title", { text: asked })} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${!first && !loaded.error && html`<${Loading} what=${text("search.waiting")} />`}
    ${loaded.error && html`<${Problem} error=${loaded.error} again=${loaded.again} />`}
    ${state.below !== undefined && html`<${Below} term=${state.below} />`}
    ${first && html`<p class="total"><strong>${total}</strong></p>`}
    ${first && first.total > 0 && html`<${Take} query=${wanted} most=${most} />`}
    ${first && first.total > MOST && html`<p class="callout">${text("results.most", { most: number(MOST), total: number(first.total) })}</p>`}
    ${first?.truncated && html`<p class="callout">${text("search.better")}</p>`}
    <div class="columns">
      ${first?.counts && html`<${Facets} counts=${first.counts} isMinimum=${first.truncated} />`}
      <div class="list">
        ${first && first.total === 0 && html`<${NothingFound} text=${asked} version=${version} found=${first.nothingFound} isPage />`}
        ${first && first.total > 0 && items.length === 0 && html`<p>${text("results.no.page", { page })} <${Link} to=${{ page: undefined }}>${text("results.first")}<//></p>`}
        <ol class="found" start=${start + 1}>
          ${items.map(
            (hit) => html`<li key=${`${hit.kind} ${hit.id}`}>
              <span class="hit-name"><${Code} hit=${hit} /><${Link} to=${hit.kind === "category" ? { category: hit.id } : { term: hit.id }}><${Name} hit=${hit} /><//><${Why} hit=${hit} /></span>
              <span class="where"><${Place} hit=${hit} place=${named.value?.get(hit.id)} /> <code>${hit.id}</code></span>
            </li>`,
          )}
        </ol>
        ${most > PAGE && html`<${Pages} page=${page} last=${Math.ceil(most / PAGE)} hasNext=${current?.nextCursor !== undefined} />`}
      </div>
    </div>
  </article>`;
}

/** The term below which the results are. @param {{ term: number }} props */
function Below({ term }) {
  const { state } = usePage();
  const found = useTerms([term]).get(term);
  const name = html`<${Link} to=${{ term }}>${found ? html`<${Text} text=${found.name} lang=${found.culture} />` : text("term.id", { id: term })}<//>`;
  const isAll = state.parents === "all";
  return html`<p class="actions">
    <span>${rich(isAll ? "results.below.all" : "results.below", { term: name })}</span>
    <${Link} class="button" focus=${false} to=${isAll ? { parents: undefined } : { parents: "all" }}>${text(isAll ? "results.parents.one" : "results.parents.all")}<//>
    <${Link} class="button" focus=${false} to=${{ below: undefined, parents: undefined }}>${text("results.everywhere")}<//>
  </p>`;
}

/** @param {{ page: number, last: number, hasNext: boolean }} props */
function Pages({ page, last, hasNext }) {
  return html`<nav class="pages" aria-label=${text("results.pages")}>
    ${page > 1 && html`<${Link} class="button" rel="prev" to=${{ page: page - 1 }}>${text("results.before")}<//>`}
    <span>${text("results.page", { page, last })}</span>
    ${hasNext && html`<${Link} class="button" rel="next" to=${{ page: page + 1 }}>${text("results.next")}<//>`}
  </nav>`;
}
