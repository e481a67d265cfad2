/** The explorer: the state of its address, the version that it shows, and its panes. */
import { useCallback, useEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
import { Api } from "./api.js";
import { Before } from "./before.js";
import { Foot } from "./foot.js";
import { Header } from "./header.js";
import { noteFocus, returnFocus } from "./focus.js";
import { html } from "./html.js";
import { lazy } from "./lazy.js";
import { useLoaded } from "./load.js";
import { Link, PageContext, ShownContext, usePage, useShown } from "./page.js";
import { Heading } from "./parts.js";
import { change, format, parse } from "./state.js";
import { useTenants } from "./start/list.js";
import { remember } from "./start/recent.js";
import { text } from "./texts.js";
import { TermPane } from "./term/term.js";
import { TreePane } from "./tree/tree.js";
import { Edge, useWidth } from "./tree/width.js";
import { Band, useServed } from "./versions/served.js";

const CategoryPane = lazy(() => import("./category.js"), "CategoryPane");
const DifferencePane = lazy(() => import("./difference/difference.js"), "DifferencePane");
const GapsPane = lazy(() => import("./gaps/gaps.js"), "GapsPane");
const IdsPane = lazy(() => import("./results/ids.js"), "IdsPane");
const ResultsPane = lazy(() => import("./results/results.js"), "ResultsPane");
const StartPane = lazy(() => import("./start/start.js"), "StartPane");
const Overview = lazy(() => import("./overview.js"), "Overview");

/** @typedef {Pick<import("./signin.js").SignIn, "isNeeded" | "token" | "leave" | "leaveForGood">} SignIn */

/**
 * @param {{ source: { kind: string, name: string }, signIn: SignIn, failure: unknown, speak: import("./page.js").Page["speak"] }} props
 */
export function App({ source, signIn, failure, speak }) {
  const [state, setState] = useState(() => parse(location.search));
  const [wantsFocus, setWantsFocus] = useState(false);
  const [said, setSaid] = useState("");
  const announce = useCallback((/** @type {string} */ words) => {
    // The same text twice is said twice.
    setSaid("");
    requestAnimationFrame(() => setSaid(words));
  }, []);
  const api = useMemo(() => new Api(() => signIn.token, announce), []);
  const current = useRef(state);
  current.current = state;
  const go = useCallback((/** @type {Partial<import("./state.js").State>} */ patch, { replace = false, focus = false } = {}) => {
    const next = change(current.current, patch);
    if (format(next) !== format(current.current)) {
      if (!replace) noteFocus();
      history[replace ? "replaceState" : "pushState"](null, "", `${location.pathname}${format(next)}`);
    }
    setState(next);
    if (focus) setWantsFocus(true);
  }, []);
  useEffect(() => {
    /** @param {PopStateEvent} event */
    const back = (event) => {
      setState(parse(location.search));
      setWantsFocus(false);
      returnFocus(event.state);
    };
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const page = { api, state, source: source.kind, speak, go, announce, signIn: () => void signIn.leave().catch((error) => announce(String(error.message))), hasSignIn: signIn.isNeeded };
  const isOut = signIn.isNeeded && !signIn.token;
  return html`<${PageContext.Provider} value=${page}>
    ${isOut ? html`<${SignInPane} failure=${failure} />` : html`<${Explorer} source=${source} signOut=${() => signIn.leaveForGood()} wantsFocus=${wantsFocus} onFocus=${() => setWantsFocus(false)} />`}
    <div class="visually-hidden" role="status" aria-live="polite">${said}</div>
  <//>`;
}

/** @param {{ failure: unknown }} props */
function SignInPane({ failure }) {
  const { signIn } = usePage();
  return html`<main class="centred wide" id="main">
    <${Heading} text=${text("title")} wantsFocus=${false} onFocus=${() => {}} />
    ${failure !== undefined && html`<div class="problem" role="alert"><p class="problem-title">${text("signin.failed")}</p><p>${text("signin.failed.advice", { detail: String(/** @type {any} */ (failure).message ?? failure) })}</p></div>`}
    <p>${text("signin.advice")}</p>
    <p><button type="button" class="primary" onClick=${signIn}>${text("signin.in")}</button></p>
    <${Foot} />
  </main>`;
}

/**
 * @param {{ source: { kind: string, name: string }, signOut: () => void, wantsFocus: boolean, onFocus: () => void }} props
 */
function Explorer({ source, signOut, wantsFocus, onFocus }) {
  const { api, state, go } = usePage();
  const { tenant, version: wanted, asOf } = state;
  const tenants = useTenants(api, !tenant);
  const only = tenants.isWhole && tenants.items.length === 1 ? tenants.items[0]?.id : undefined;
  useEffect(() => {
    if (!tenant && only) go({ tenant: only }, { replace: true });
  }, [tenant, only]);
  const head = useLoaded(
    tenant
      ? async (signal) => {
          /** @type {import("./answers.js").Head} */
          const found = await api.get(`tenants/${encodeURIComponent(tenant)}`, { version: wanted, asOf }, { signal });
          return { tenant, head: found };
        }
      : null,
    [tenant, wanted, asOf],
  );
  const found = head.value?.tenant === tenant ? head.value?.head : undefined;
  // All requests name the version, so that nothing on the page mixes two.
  const version = found?.version;
  const culture = state.culture ?? found?.defaultCulture;
  const beside = found?.cultures.filter((tag) => tag !== culture && state.beside?.includes(tag)) ?? [];
  const query = useMemo(() => (version !== undefined && culture ? { version, culture } : null), [version, culture]);
  const listed = tenants.items.find(({ id }) => id === tenant);
  const shown = useMemo(
    () => (tenant && found && query ? { tenant, listed, head: found, ...query, query, beside, path: `tenants/${encodeURIComponent(tenant)}` } : null),
    [tenant, listed, found, query, beside.join()],
  );
  const served = useServed(shown);
  useEffect(() => {
    if (shown) remember(shown.tenant);
  }, [shown?.tenant]);
  const [isOpen, setOpen] = useState(false);
  // What is chosen in the drawer is shown.
  useEffect(() => setOpen(false), [tenant, state.term, state.category, state.gaps, state.compare]);
  if (!tenant) return html`<${StartPane} tenants=${tenants} />`;
  // One frame for both, so that a menu that the reader has opened stays open when the taxonomy arrives.
  return html`<${ShownContext.Provider} value=${shown}>
    <div class=${isOpen ? "frame open" : "frame"} aria-busy=${head.isLoading ? "true" : "false"}>
      <${Header} source=${source} tenants=${tenants} tenant=${tenant} signOut=${signOut} newest=${served} drawer=${{ isOpen, setOpen }} />
      ${shown && html`<${Band} served=${served} again=${head.again} />`}
      ${shown ? html`<${Panes} wantsFocus=${wantsFocus} onFocus=${onFocus} />` : html`<${Before} tenant=${tenant} head=${head} onFocus=${onFocus} />`}
    </div>
  <//>`;
}

/** @param {{ wantsFocus: boolean, onFocus: () => void }} props */
function Panes({ wantsFocus, onFocus }) {
  const { api, state } = usePage();
  const { path, query, tenant } = useShown();
  const { term: id } = state;
  const term = useLoaded(
    id === undefined
      ? null
      : /** @returns {Promise<import("./answers.js").Term>} */
        (signal) => api.get(`${path}/terms/${id}`, { ...query, include: "place", deprecated: state.retired ? undefined : "exclude" }, { signal }),
    [path, query, id, state.retired],
  );
  const isTerm = term.value && term.value.id === id;
  const focus = { wantsFocus, onFocus };
  const [width, setWidth] = useWidth();
  return html`<div class="panes" style=${{ "--tree": `${width}rem` }}>
    <nav class="left" aria-label=${text("app.taxonomy")}>
      <${TreePane} key=${tenant} term=${isTerm ? term.value : undefined} />
      <${Edge} width=${width} setWidth=${setWidth} />
    </nav>
    <main id="main" class="pane">
      ${state.compare !== undefined && id !== undefined && html`<p><${Link} to=${{ term: undefined }}>${text("app.back", { version: state.compare })}<//></p>`}
      ${id !== undefined
        ? html`<${TermPane} loaded=${term} ...${focus} />`
        : state.gaps !== undefined
          ? html`<${GapsPane} ...${focus} />`
          : state.category !== undefined
            ? html`<${CategoryPane} id=${state.category} ...${focus} />`
            : state.compare !== undefined
              ? html`<${DifferencePane} ...${focus} />`
              : state.ids !== undefined
                ? html`<${IdsPane} ...${focus} />`
                : state.q !== undefined
                  ? html`<${ResultsPane} ...${focus} />`
                  : html`<${Overview} ...${focus} />`}
      <${Foot} />
    </main>
  </div>`;
}
