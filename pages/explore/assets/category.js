/** A category of the shown version. */
import { Children } from "./below/children.js";
import { Siblings } from "./below/siblings.js";
import { Counts } from "./counts.js";
import { html } from "./html.js";
import { useLoaded } from "./load.js";
import { Link, usePage, useShown } from "./page.js";
import { Badge, Coming, Heading, label, Problem, Text } from "./parts.js";
import { rich, text } from "./texts.js";
import { CopyBar, Facts } from "./term/facts.js";
import { Languages, SideBySide, useNames } from "./term/languages.js";
import { Relations } from "./term/relations.js";
import { Retirement } from "./term/retirement.js";
import { culture as cultureName } from "./words.js";

/** @param {{ id: number, wantsFocus: boolean, onFocus: () => void }} props */
export function CategoryPane({ id, wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, query, version, culture } = useShown();
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
    <p class="badges">
      ${category.culture !== culture && html`<${Badge} kind="culture">${text("badge.language", { language: cultureName(category.culture), wanted: cultureName(culture) })}<//>`}
      ${category.removed ? html`<${Badge} kind="retired">${text("badge.removed")}<//>` : category.deprecated && html`<${Badge} kind="retired">${text("badge.deprecated")}<//>`}
    </p>
    ${(category.deprecated || category.removed) && html`<${Retirement} node=${category} isCategory />`}
    ${category.notes?.definition && html`<p class="note definition"><${Text} text=${category.notes.definition} lang=${category.culture} /></p>`}
    ${category.notes?.scopeNote && html`<p class="note">${rich("note.scope", { label: label, note: html`<${Text} text=${category.notes.scopeNote} lang=${category.culture} />` })}</p>`}
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
