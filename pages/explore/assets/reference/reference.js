/** The API page: its operations at the side, one of them or the problems in the middle, as the part of the address behind `#` says. */
import { useCallback, useEffect, useMemo, useState } from "../vendor/hooks.js";
import { Api } from "../api.js";
import { Language } from "../foot.js";
import { html } from "../html.js";
import { useLoaded } from "../load.js";
import { PageContext } from "../page.js";
import { text } from "../texts.js";
import { find } from "./known.js";
import { Side } from "./side.js";
import { OperationView, Overview, ProblemsView } from "./views.js";

/** Of a stack that this page is not served by: its owner knows it. */
const ELSEWHERE = ["https:", "", "API_ID.execute-api.REGION.amazonaws.com", ""].join("/");

/** @param {{ description: import("./description.js").Description, config: import("../main.js").Config, speak: import("../page.js").Page["speak"] }} props */
export function Reference({ description, config, speak }) {
  const { auth, source } = config;
  const [said, announce] = useState("");
  const [token, setToken] = useState("");
  const [tenant, setTenant] = useState(() => new URLSearchParams(location.search).get("tenant") ?? "");
  const [view, setView] = useState({ name: location.hash.slice(1), wantsFocus: false });
  const [isOpen, setOpen] = useState(false);
  const isUsable = auth.mode !== "jwt" || token !== "";
  const api = useMemo(() => new Api(() => token || undefined, announce), [token]);
  const tenants = useLoaded(isUsable ? (signal) => api.get("tenants", { limit: 100 }, { signal }) : null, [token]);
  /** @type {string[]} */
  const ids = tenants.value?.items.map((/** @type {{ id: string }} */ { id }) => id) ?? [];
  const chosen = tenant || (ids[0] ?? "");
  const known = useLoaded(isUsable && chosen && (tenant ? tenant.length > 0 : true) ? (signal) => find(api, chosen, signal) : null, [token, chosen]);
  useEffect(() => {
    const go = () => {
      setView({ name: location.hash.slice(1), wantsFocus: true });
      setOpen(false);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", go);
    return () => removeEventListener("hashchange", go);
  }, []);
  const operation = description.operations.find(({ id }) => id === view.name);
  const isProblem = view.name === "problems" || description.problems.some(({ name }) => name === view.name);
  useEffect(() => {
    document.title = [operation?.summary ?? (isProblem ? text("reference.problems") : undefined), text("reference.title")].filter(Boolean).join(" – ");
  }, [operation, isProblem]);
  const choose = useCallback((/** @type {string} */ id) => {
    setTenant(id);
    const query = id ? `?${new URLSearchParams({ tenant: id })}` : "";
    history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  }, []);
  const isHere = source.kind === "stack" && auth.mode !== "signed";
  const base = new URL(".", document.baseURI).href;
  const target = {
    base,
    sampleBase: isHere ? base : ELSEWHERE,
    auth: source.kind === "stack" ? auth.mode : /** @type {const} */ ("none"),
    isReadOnly: !isHere,
    token,
    tenant: chosen,
    known: known.value?.tenant === chosen ? known.value : undefined,
  };
  /** @type {import("../page.js").Page} */
  const page = { api, state: { tenant: chosen }, source: source.kind, speak, go: () => {}, announce, signIn: () => {}, hasSignIn: false };
  return html`<${PageContext.Provider} value=${page}>
    <div class="frame reference">
      <header>
        <a class="skip" href="#main" onClick=${skip}>${text("header.skip")}</a>
        <a href=${`explore${chosen ? `?${new URLSearchParams({ tenant: chosen })}` : ""}`}>${text("reference.explorer")}</a>
        <a href="#" class="brand">${text("reference.title")}</a>
        <label>${text("app.taxonomy")} <input id="tenant" list="tenants" maxlength="64" spellcheck=${false} autocapitalize="none" value=${chosen} onChange=${(/** @type {Event} */ event) => choose(/** @type {HTMLInputElement} */ (event.target).value.trim())} /></label>
        <datalist id="tenants">${ids.map((id) => html`<option key=${id} value=${id}></option>`)}</datalist>
        ${auth.mode === "jwt" && html`<label title=${text("reference.token.said")}>${text("reference.token")} <input type="password" autocomplete="off" value=${token} onChange=${(/** @type {Event} */ event) => setToken(/** @type {HTMLInputElement} */ (event.target).value.trim())} /></label>`}
        <button type="button" class="opens-side" aria-expanded=${isOpen ? "true" : "false"} aria-controls="side" onClick=${() => setOpen(!isOpen)}>${text("reference.operations")}</button>
      </header>
      <div class="panes">
        <${Side} description=${description} current=${view.name} isOpen=${isOpen} />
        <main id="main" class="pane" tabindex="-1">
          ${operation
            ? html`<${OperationView} key=${operation.id} description=${description} operation=${operation} target=${target} wantsFocus=${view.wantsFocus} />`
            : isProblem
              ? html`<${ProblemsView} key="problems" description=${description} wanted=${view.name} wantsFocus=${view.wantsFocus && view.name === "problems"} />`
              : html`<${Overview} key="overview" description=${description} config=${config} wantsFocus=${view.wantsFocus} />`}
          <footer class="foot"><${Language} /></footer>
        </main>
      </div>
    </div>
    <div class="visually-hidden" role="status" aria-live="polite">${said}</div>
  <//>`;
}

/** The address keeps its operation. @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}
