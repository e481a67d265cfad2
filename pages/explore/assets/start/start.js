/** The start page: the taxonomies that the reader may see, as cards. */
import { useState } from "../vendor/hooks.js";
import { Foot } from "../foot.js";
import { html } from "../html.js";
import { Link, usePage } from "../page.js";
import { Heading, Loading, Problem, Text } from "../parts.js";
import { text } from "../texts.js";
import { OpenById } from "../tenants.js";
import { number } from "../words.js";
import { Card } from "./card.js";
import { matches } from "./filter.js";
import { recent } from "./recent.js";

/** Cards that are shown at first, and how many more by a command. */
const STEP = 60;
/** Taxonomies from which on a filter is worth its room. */
const MANY = 7;

/** @param {{ tenants: import("./list.js").Tenants }} props */
export function StartPane({ tenants }) {
  const { announce } = usePage();
  const [wanted, setWanted] = useState("");
  const [most, setMost] = useState(STEP);
  const { items, error, isLoading, isWhole, again } = tenants;
  const mayList = /** @type {any} */ (error)?.status !== 403;
  const found = items.filter((tenant) => matches(tenant, wanted));
  const last = recent().flatMap((id) => items.filter((tenant) => tenant.id === id));
  /** @param {Event} event */
  const filter = (event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    setWanted(value);
    announce(text("start.found", { found: number(items.filter((tenant) => matches(tenant, value)).length), all: number(items.length) }));
  };
  return html`<main class="start" id="main">
    <p class="brand"><span class="mark"><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M5 4v13.5a1.5 1.5 0 0 0 1.5 1.5H11M5 9.5h6" /><circle cx="5" cy="4" r="2.2" /><circle cx="13.2" cy="9.5" r="2.2" /><circle cx="13.2" cy="19" r="2.2" /></svg></span> ${text("title")}</p>
    <${Heading} text=${text("tenants.choose")} wantsFocus=${false} onFocus=${() => {}} />
    ${items.length === 0 && isLoading && html`<${Loading} what=${text("loading.taxonomies")} />`}
    ${error !== undefined && mayList && html`<${Problem} error=${error} again=${again} />`}
    ${items.length >= MANY &&
    html`<div class="filter" role="search">
        <label><span>${text("start.filter")}</span><input type="search" value=${wanted} maxlength="100" onInput=${filter} /></label>
        <p class="muted small">${text("start.found", { found: number(found.length), all: number(items.length) })}${!isWhole && "+"}</p>
      </div>
      ${last.length > 0 && wanted === "" && html`<p class="recent"><span class="muted small">${text("start.recent")}</span> ${last.map(({ id, displayName }) => html`<${Link} key=${id} class="chip" to=${{ tenant: id }}><${Text} text=${displayName ?? id} /><//>`)}</p>`}`}
    <ul class="cards" aria-label=${text("start.list")}>${found.slice(0, most).map((tenant) => html`<${Card} key=${tenant.id} tenant=${tenant} />`)}</ul>
    ${found.length > most && html`<p><button type="button" onClick=${() => setMost(most + STEP)}>${text("difference.rest", { count: found.length - most })}</button></p>`}
    ${wanted !== "" && found.length === 0 && html`<p>${text("start.nothing", { wanted })}</p>`}
    ${isWhole && items.length === 0 && html`<p class="muted">${text("tenants.none")}</p>`}
    ${!isWhole && !isLoading && html`<${OpenById} />`}
    <${Foot} />
  </main>`;
}
