/** Choosing another taxonomy in the bar: one of those that the reader may see, or one by its id. */
import { useState } from "./vendor/hooks.js";
import { html } from "./html.js";
import { Link, usePage } from "./page.js";
import { Loading, Menu, Problem, Text } from "./parts.js";
import { text } from "./texts.js";

/** @typedef {import("./start/list.js").Tenants} Tenants */

/** @param {{ tenants: Tenants, tenant: string, onOpen?: () => void }} props */
export function TenantPicker({ tenants, tenant, onOpen }) {
  const listed = tenants.items.find(({ id }) => id === tenant);
  const name = listed?.displayName ?? tenant;
  const label = html`<span class="quiet">${text("app.taxonomy")}</span> <${Text} text=${name} />`;
  return html`<${Menu} name=${text("tenants.taxonomy", { name })} label=${label}>${(/** @type {() => void} */ close) => html`<${Choice} tenants=${tenants} tenant=${tenant} onGo=${close} />`}<//>`;
}

/** @param {{ tenants: Tenants, tenant: string, onGo: () => void }} props */
function Choice({ tenants: { items, error, isLoading, isWhole, again }, tenant, onGo }) {
  const mayList = /** @type {any} */ (error)?.status !== 403;
  return html`<div class="tenants">
    ${items.length === 0 && isLoading && html`<${Loading} what=${text("loading.taxonomies")} />`}
    ${error !== undefined && mayList && html`<${Problem} error=${error} again=${again} />`}
    <ul>
      ${items.map(
        ({ id, displayName }) => html`<li key=${id}>
          <${Link} to=${{ tenant: id }} onGo=${onGo} aria-current=${id === tenant ? "true" : undefined}><${Text} text=${displayName ?? id} />${displayName && html` <span class="quiet small"><${Text} text=${id} /></span>`}<//>
        </li>`,
      )}
    </ul>
    ${isWhole && items.length === 0 && html`<p class="muted">${text("tenants.none")}</p>`}
    ${items.length > 0 && html`<p class="pad"><${Link} to=${{ tenant: undefined }} onGo=${onGo}>${text("start.all")}<//></p>`}
    ${!isWhole && !isLoading && html`<${OpenById} onGo=${onGo} />`}
  </div>`;
}

/** @param {{ onGo?: () => void }} props */
export function OpenById({ onGo }) {
  const { go } = usePage();
  const [name, setName] = useState("");
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!name.trim()) return;
    onGo?.();
    go({ tenant: name.trim() });
  };
  return html`<form class="pad" onSubmit=${submit}>
    <label for="tenant-name">${text("tenants.name")}</label>
    <input id="tenant-name" value=${name} maxlength="64" autocapitalize="none" spellcheck=${false} onInput=${(/** @type {InputEvent} */ event) => setName(/** @type {HTMLInputElement} */ (event.target).value)} />
    <button type="submit">${text("tenants.open")}</button>
  </form>`;
}
