/** What narrows the results: each value with the number of results that it leaves. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { Text } from "../parts.js";
import { text } from "../texts.js";
import { culture as cultureName, number } from "../words.js";

/** Where the filters stand above the results, as in `style.css`, they begin closed: the results are what was asked for. */
const NARROW = "(max-width: 48rem)";
/** Values of a facet that are always shown. */
const SOME = 8;

/**
 * @typedef {import("../state.js").State} State
 * @typedef {{ key: string | number, name: any, total: number, to: Partial<State>, isChosen: boolean }} Value `to`: the state with the value, or without it where it is chosen.
 */

/**
 * The facets of results; those with one value, which is not chosen, would not narrow anything.
 * @param {{ counts: import("../answers.js").FacetTotals, isMinimum: boolean }} props
 */
export function Facets({ counts, isMinimum }) {
  const { state } = usePage();
  const { culture } = useShown();
  const [isOpen] = useState(() => !matchMedia(NARROW).matches);
  const { within, below, parents, depth, kind, missing } = state;
  const categories = counts.categories.map((category) => value(category.id, html`<${Text} text=${category.name} lang=${category.culture} />`, category.total, "within", category.id, within));
  if (within !== undefined && !counts.categories.some(({ id }) => id === within)) categories.unshift(value(within, text("category.id", { id: within }), 0, "within", within, within));
  const levels = counts.depths.map((_, level) => counts.depths.slice(0, level + 1).reduce((sum, total) => sum + total, 0));
  const depths = levels.map((total, level) => value(level, text("results.depth.to", { depth: level }), total, "depth", level, depth)).filter(({ total, key, isChosen }) => isChosen || (key !== 0 && total !== levels[Number(key) - 1]));
  const kinds = [
    value("category", text("results.kind.category"), counts.kinds.category, "kind", "category", kind),
    value("term", text("results.kind.term"), counts.kinds.term, "kind", "term", kind),
  ];
  const { exclude, only } = counts.states;
  const states = [
    { key: "exclude", name: text("results.state.use"), total: exclude, to: { deprecated: undefined, retired: undefined }, isChosen: !state.deprecated && !state.retired },
    { key: "only", name: text("results.state.deprecated"), total: only, to: { deprecated: /** @type {const} */ ("only") }, isChosen: state.deprecated === "only" },
    { key: "include", name: text("results.state.all"), total: exclude + only, to: { deprecated: undefined, retired: true }, isChosen: !state.deprecated && state.retired === true },
  ];
  const lacking = counts.missing.map((of) => value(of.culture, cultureName(of.culture), of.total, "missing", of.culture, missing));
  if (missing !== undefined && !counts.missing.some((of) => of.culture === missing)) lacking.unshift(value(missing, cultureName(missing), 0, "missing", missing, missing));
  const shared = { isMinimum };
  return html`<nav class="facets" aria-label=${text("results.facets")}><details open=${isOpen}>
    <summary>${text("results.facets")}</summary>
    <${Facet} ...${shared} title=${text("results.categories")} values=${below === undefined ? categories : []} further=${counts.furtherCategories} />
    <${Facet} ...${shared} title=${text("results.kinds")} values=${kinds} />
    <${Facet} ...${shared} title=${text("results.depths")} values=${parents ? [] : depths} />
    <${Facet} ...${shared} title=${text("results.states")} values=${only > 0 || state.deprecated || state.retired ? states : []} />
    <${Facet} ...${shared} title=${text("results.missing")} values=${lacking} />
    <section class="facet">
      <h2>${text("results.languages")}</h2>
      <ul>
        <${Choice} isMinimum=${false} value=${{ key: "one", name: cultureName(culture), to: { languages: undefined }, isChosen: state.languages === undefined }} />
        <${Choice} isMinimum=${false} value=${{ key: "all", name: text("results.languages.all"), to: { languages: "all" }, isChosen: state.languages === "all" }} />
      </ul>
    </section>
  </details></nav>`;
}

/**
 * A value of a filter; chosen again, the filter goes.
 * @param {string | number} key
 * @param {any} name
 * @param {number} total
 * @param {keyof State} filter
 * @param {string | number} of
 * @param {string | number | undefined} chosen
 * @returns {Value}
 */
function value(key, name, total, filter, of, chosen) {
  const isChosen = of === chosen;
  return { key, name, total, isChosen, to: /** @type {Partial<State>} */ ({ [filter]: isChosen ? undefined : of }) };
}

/** @param {{ title: string, values: Value[], isMinimum: boolean, further?: number }} props */
function Facet({ title, values, isMinimum, further = 0 }) {
  const shown = values.filter(({ total, isChosen }) => total > 0 || isChosen);
  if (shown.length < 2 && !shown.some(({ isChosen }) => isChosen)) return null;
  // What is chosen is always in sight.
  const [first, rest] = shown.length > SOME + 1 ? [shown.filter((value, index) => index < SOME || value.isChosen), shown.filter((value, index) => index >= SOME && !value.isChosen)] : [shown, []];
  const choice = (/** @type {Value} */ value) => html`<${Choice} key=${value.key} value=${value} isMinimum=${isMinimum} />`;
  return html`<section class="facet">
    <h2>${title}</h2>
    <ul>${first.map(choice)}</ul>
    ${rest.length > 0 && html`<details><summary>${text("results.more.values", { count: rest.length })}</summary><ul>${rest.map(choice)}</ul></details>`}
    ${further > 0 && html`<p class="small muted">${text("results.more.categories", { count: further })}</p>`}
  </section>`;
}

/** @param {{ value: Omit<Value, "total"> & { total?: number }, isMinimum: boolean }} props */
function Choice({ value: { name, total, to, isChosen }, isMinimum }) {
  return html`<li>
    <${Link} to=${to} focus=${false} aria-current=${isChosen ? "true" : undefined}><span>${name}</span>${total !== undefined && html` <span class="count">${number(total)}${isMinimum ? "+" : ""}</span>`}<//>
  </li>`;
}
