/** The bar above the panes: what is shown, and the search. */
import { useContext, useEffect, useRef } from "./vendor/hooks.js";
import { html } from "./html.js";
import { lazy } from "./lazy.js";
import { Link, ShownContext, usePage } from "./page.js";
import { Menu } from "./parts.js";
import { Search } from "./search/search.js";
import { TenantPicker } from "./tenants.js";
import { rich, text } from "./texts.js";
import { VersionPicker } from "./versions/picker.js";
import { culture as cultureName } from "./words.js";

const Formats = lazy(() => import("./downloads.js"), "Formats");

/**
 * Where the screen is narrow, the tree and the choices of the bar are behind a button.
 * @typedef {{ isOpen: boolean, setOpen: (isOpen: boolean) => void }} Drawer
 */

/**
 * @param {{ source: { kind: string, name: string }, tenants: import("./tenants.js").Tenants, tenant: string, signOut: () => void, newest?: number, drawer: Drawer }} props
 */
export function Header({ source, tenants, tenant, signOut, newest, drawer }) {
  const { hasSignIn } = usePage();
  const shown = useContext(ShownContext);
  return html`<header>
    <a class="skip" href="#main">${text("header.skip")}</a>
    <${DrawerButton} drawer=${drawer} />
    <${Link} class="mark" to=${{ term: undefined, category: undefined, compare: undefined }} aria-label=${text("header.overview")}>
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M5 4v13.5a1.5 1.5 0 0 0 1.5 1.5H11M5 9.5h6" /><circle cx="5" cy="4" r="2.2" /><circle cx="13.2" cy="9.5" r="2.2" /><circle cx="13.2" cy="19" r="2.2" /></svg>
    <//>
    ${source.kind !== "stack" && html`<p class="source" title=${source.name}>${rich(source.kind === "plan" ? "header.plan" : "header.file", { name: html`<bdi>${source.name}</bdi>` })}</p>`}
    <${TenantPicker} tenants=${tenants} tenant=${tenant} />
    ${shown && html`<div class="options"><${VersionPicker} newest=${newest} /><${CulturePicker} /></div><${Search} />`}
    <div class="options">
      ${shown && html`<${Retired} />`}
      ${shown && source.kind === "stack" && html`<${Menu} name=${text("download")} label=${text("download")} align="end">${() => html`<${Formats} />`}<//>`}
      ${hasSignIn && html`<button type="button" onClick=${signOut}>${text("signin.out")}</button>`}
    </div>
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

/** @param {{ drawer: Drawer }} props */
function DrawerButton({ drawer: { isOpen, setOpen } }) {
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useEffect(() => {
    if (!isOpen) return undefined;
    /** @param {KeyboardEvent} event */
    const escape = (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [isOpen]);
  return html`<button type="button" class="drawer" ref=${button} aria-expanded=${isOpen ? "true" : "false"} aria-label=${text("header.drawer")} onClick=${() => setOpen(!isOpen)}>
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d=${isOpen ? "M3.5 3.5l9 9M12.5 3.5l-9 9" : "M2 4h12M2 8h12M2 12h12"} /></svg>
  </button>`;
}
