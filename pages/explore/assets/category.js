/** A category of the shown version. */
import { Children } from "./below/children.js";
import { Siblings } from "./below/siblings.js";
import { Counts } from "./counts.js";
import { html } from "./html.js";
import { useLoaded } from "./load.js";
import { Link, usePage, useShown } from "./page.js";
import { Coming, Heading, Problem } from "./parts.js";
import { text } from "./texts.js";
import { Badges, CopyBar, Facts, Notes } from "./term/facts.js";
import { Languages, SideBySide, useNames } from "./term/languages.js";
import { Relations } from "./term/relations.js";
import { Retirement } from "./term/retirement.js";

/** @param {{ id: number, wantsFocus: boolean, onFocus: () => void }} props */
export function CategoryPane({ id, wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, query, version } = useShown();
  const isServed = state.version === undefined && state.asOf === undefined;
  const loaded = useLoaded(
    /** @returns {Promise<import("./answers.js").Category>} */
    (signal) => api.get(`${path}/categories/${id}`, { ...query, include: "place", deprecated: state.retired ? undefined : "exclude" }, { signal }),
    [path, query, id, state.retired],
  );
  const stats = useLoaded(
    /** @returns {Promise<import("./answers.js").Stats>} */
    (signal) => api.get(`${path}/categories/${id}/stats`, isServed ? {} : { version }, { signal }),
    [path, version, id, isServed],
  );
  const names = useNames("categories", loaded.value?.id === id ? id : undefined);
  if (loaded.error)
    return html`<${Heading} text=${text("category.id", { id })} wantsFocus=${wantsFocus} onFocus=${onFocus} /><${Problem} error=${loaded.error} again=${loaded.again}>${!isServed && html`<${Link} class="button" to=${{ version: undefined, asOf: undefined }}>${text("app.served.it")}<//>`}<//>`;
  const category = loaded.value;
  if (!category || category.id !== id) return html`<${Coming} heading=${text("category.id", { id })} what=${text("loading.category")} />`;
  return html`<article aria-busy=${loaded.isLoading ? "true" : "false"}>
    <p class="crumbs muted">${text("category")}</p>
    <${Heading} code=${category.notation} text=${category.name} lang=${category.culture} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${category.place && html`<${Siblings} kind="category" place=${category.place} />`}
    <${Badges} node=${category} />
    ${(category.deprecated || category.removed) && html`<${Retirement} node=${category} isCategory />`}
    <${Notes} node=${category} />
    <${SideBySide} names=${names} />
    ${category.place && category.place.childCount > 0 && html`<${Children} key=${`children-${id}`} kind="categories" id=${id} place=${category.place} />`}
    <${Facts} node=${category} kind="category" />
    <${CopyBar} node=${category} kind="category" />
    ${category.relations.length > 0 && html`<${Relations} relations=${category.relations} />`}
    <${Languages} names=${names} />
    ${stats.error && html`<${Problem} error=${stats.error} again=${stats.again} />`}
    ${stats.value?.counts && html`<${Counts} counts=${stats.value.counts} />`}
  </article>`;
}
