/** Below each pane: the language of the page, and the other page. */
import { html } from "./html.js";
import { usePage } from "./page.js";
import { LANGUAGES, language, text } from "./texts.js";

export function Foot() {
  const { state } = usePage();
  const api = state.tenant ? `docs?${new URLSearchParams({ tenant: state.tenant })}` : "docs";
  return html`<footer class="foot">
    <a href=${api}>${text("foot.api")}</a>
    <${Language} />
  </footer>`;
}

/** The choice of the language of the page. */
export function Language() {
  const { speak } = usePage();
  /** @param {Event} event */
  const choose = (event) => void speak(/** @type {import("./texts.js").Language} */ (/** @type {HTMLSelectElement} */ (event.target).value));
  return html`<label>
    <span>${text("foot.language")}</span>
    <select id="language" onChange=${choose}>
      ${Object.entries(LANGUAGES).map(([tag, { name }]) => html`<option key=${tag} value=${tag} lang=${tag} selected=${tag === language()}>${name}</option>`)}
    </select>
  </label>`;
}
