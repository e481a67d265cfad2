/** Below each pane: the language of the page, and the other page. */
import { useEffect, useRef } from "./vendor/hooks.js";
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

/** Milliseconds in which a page in another language arrives. */
const ARRIVAL = 5_000;
let chosenAt = -Infinity;

/** The choice of the language of the page. It keeps the focus while the page is made anew. */
export function Language() {
  const { speak } = usePage();
  const select = useRef(/** @type {HTMLSelectElement | null} */ (null));
  useEffect(() => {
    if (performance.now() - chosenAt < ARRIVAL && document.activeElement === document.body) select.current?.focus();
  }, []);
  /** @param {Event} event */
  const choose = (event) => {
    chosenAt = performance.now();
    void speak(/** @type {import("./texts.js").Language} */ (/** @type {HTMLSelectElement} */ (event.target).value));
  };
  return html`<label>
    <span>${text("foot.language")}</span>
    <select id="language" ref=${select} onChange=${choose}>
      ${Object.entries(LANGUAGES).map(([tag, { name }]) => html`<option key=${tag} value=${tag} lang=${tag} selected=${tag === language()}>${name}</option>`)}
    </select>
  </label>`;
}
