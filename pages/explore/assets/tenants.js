/** Choosing a taxonomy: those that the reader may see, or one by its name. */
import { useState } from "./vendor/hooks.js";
import { html } from "./html.js";
import { Link, usePage } from "./page.js";
import { Foot } from "./foot.js";
import { Heading, Loading, Menu, Problem } from "./parts.js";
import { text } from "./texts.js";

/** @typedef {import("./load.js").Loaded<{ items: { id: string }[], nextCursor?: string }>} Tenants */

/** @param {{ tenants: Tenants, tenant: string }} props */
export function TenantPicker({ tenants, tenant }) {
  const label = html`<span class="quiet">${text("app.taxonomy")}</span> <bdi>${tenant}</bdi>`;
  return html`<${Menu} name=${text("tenants.taxonomy", { name: tenant })} label=${label}>${(/** @type {() => void} */ close) => html`<${Choice} tenants=${tenants} tenant=${tenant} onGo=${close} />`}<//>`;
}

/** @param {{ tenants: Tenants }} props */
export function TenantPane({ tenants }) {
  return html`<main class="centred wide" id="main">
    <${Heading} text=${text("tenants.choose")} wantsFocus=${false} onFocus=${() => {}} />
    <${Choice} tenants=${tenants} />
    <${Foot} />
  </main>`;
}

/** @param {{ tenants: Tenants, tenant?: string, onGo?: () => void }} props */
function Choice({ tenants, tenant, onGo }) {
  const { go } = usePage();
  const [name, setName] = useState("");
  const items = tenants.value?.items ?? [];
  const isWhole = tenants.value && tenants.value.nextCursor === undefined;
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!name.trim()) return;
    onGo?.();
    go({ tenant: name.trim() });
  };
  const mayList = !tenants.error || /** @type {any} */ (tenants.error).status !== 403;
  return html`<div class="tenants">
    ${!tenants.value && !tenants.error && html`<${Loading} what=${text("loading.taxonomies")} />`}
    ${tenants.error && mayList && html`<${Problem} error=${tenants.error} again=${tenants.again} />`}
    <ul>${items.map(({ id }) => html`<li key=${id}><${Link} to=${{ tenant: id }} onGo=${onGo} aria-current=${id === tenant ? "true" : undefined}><bdi>${id}</bdi><//></li>`)}</ul>
    ${isWhole && items.length === 0 && html`<p class="muted">${text("tenants.none")}</p>`}
    ${!isWhole && !tenants.isLoading && html`<form class="pad" onSubmit=${submit}>
      <label for="tenant-name">${text("tenants.name")}</label>
      <input id="tenant-name" value=${name} maxlength="64" autocapitalize="none" spellcheck=${false} onInput=${(/** @type {InputEvent} */ event) => setName(/** @type {HTMLInputElement} */ (event.target).value)} />
      <button type="submit">${text("tenants.open")}</button>
    </form>`}
  </div>`;
}
