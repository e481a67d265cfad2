/** The bar above the panes: what is shown, and the search. */
import { useContext } from "./vendor/hooks.js";
import { Downloads } from "./downloads.js";
import { html } from "./html.js";
import { Link, ShownContext, usePage } from "./page.js";
import { Search } from "./search/search.js";
import { TenantPicker } from "./tenants.js";
import { rich, text } from "./texts.js";
import { VersionPicker } from "./versions/picker.js";
import { culture as cultureName } from "./words.js";

/**
 * @param {{ source: { kind: string, name: string }, tenants: import("./tenants.js").Tenants, tenant: string, signOut: () => void, newest?: number }} props
 */
export function Header({ source, tenants, tenant, signOut, newest }) {
  const { hasSignIn } = usePage();
  const shown = useContext(ShownContext);
  return html`<header>
    <a class="skip" href="#main">${text("header.skip")}</a>
    <${Link} class="mark" to=${{ term: undefined, category: undefined, compare: undefined }} aria-label=${text("header.overview")}>
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M5 4v13.5a1.5 1.5 0 0 0 1.5 1.5H11M5 9.5h6" /><circle cx="5" cy="4" r="2.2" /><circle cx="13.2" cy="9.5" r="2.2" /><circle cx="13.2" cy="19" r="2.2" /></svg>
    <//>
    ${source.kind !== "stack" && html`<p class="source">${rich(source.kind === "plan" ? "header.plan" : "header.file", { name: html`<bdi>${source.name}</bdi>` })}</p>`}
    <${TenantPicker} tenants=${tenants} tenant=${tenant} />
    ${shown && html`<${VersionPicker} newest=${newest} /><${CulturePicker} /><${Search} /><${Retired} />`}
    ${shown && source.kind === "stack" && html`<${Downloads} />`}
    ${hasSignIn && html`<button type="button" onClick=${signOut}>${text("signin.out")}</button>`}
  </header>`;
}

function CulturePicker() {
  const { go } = usePage();
  const shown = useContext(ShownContext);
  if (!shown) return null;
  const { head, culture } = shown;
  const cultures = head.cultures.includes(culture) ? head.cultures : [culture, ...head.cultures];
  /** @param {Event} event */
  const choose = (event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.target);
    go({ culture: value === head.defaultCulture ? undefined : value });
  };
  return html`<select class="culture" aria-label=${text("header.language")} value=${culture} onChange=${choose}>
    ${cultures.map((tag) => html`<option key=${tag} value=${tag} selected=${tag === culture}>${tag === head.defaultCulture ? text("header.default", { language: cultureName(tag) }) : cultureName(tag)}</option>`)}
  </select>`;
}

function Retired() {
  const { state, go } = usePage();
  const isOn = state.retired ?? false;
  return html`<label class="toggle"><input type="checkbox" checked=${isOn} onChange=${() => go({ retired: isOn ? undefined : true })} /> ${text("header.deprecated")}</label>`;
}
