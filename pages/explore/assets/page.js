/** What every part of the page shares: the state, the shown version, the API, and how to go elsewhere. */
import { createContext } from "./vendor/preact.js";
import { useContext, useLayoutEffect } from "./vendor/hooks.js";
import { html } from "./html.js";
import { change, format } from "./state.js";
import { text } from "./texts.js";

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./answers.js").Head} Head
 *
 * @typedef {object} Page
 * @property {import("./api.js").Api} api
 * @property {State} state
 * @property {string} source `stack`, `file` or `plan`.
 * @property {(patch: Partial<State>, options?: { replace?: boolean, focus?: boolean }) => void} go
 * @property {(text: string) => void} announce Says it to screen readers.
 * @property {(language: import("./texts.js").Language) => Promise<void>} speak Shows the page in another language.
 * @property {() => void} signIn
 * @property {boolean} hasSignIn
 *
 * @typedef {object} Shown The version that the page shows.
 * @property {string} tenant
 * @property {import("./answers.js").ListedTenant} [listed] Its display name and description, where the reader may list it.
 * @property {Head} head
 * @property {number} version
 * @property {string} culture
 * @property {string[]} beside Cultures of the version that the reader has beside it.
 * @property {{ version: number, culture: string }} query What every request of the version says.
 * @property {string} path `tenants/{tenant}`.
 */

/** @type {import("./vendor/preact.js").Context<Page | null>} */
export const PageContext = createContext(/** @type {Page | null} */ (null));
/** @type {import("./vendor/preact.js").Context<Shown | null>} */
export const ShownContext = createContext(/** @type {Shown | null} */ (null));

/** @returns {Page} */
export function usePage() {
  const page = useContext(PageContext);
  if (!page) throw new Error("there is no page around this part");
  return page;
}

/** @returns {Shown} */
export function useShown() {
  const shown = useContext(ShownContext);
  if (!shown) throw new Error("there is no version around this part");
  return shown;
}

/**
 * Names the page: by what it shows, then the taxonomy, and its version where that is not the served one.
 * @param {string} shown
 */
export function useTitle(shown) {
  const { state } = usePage();
  const { tenant, version, asOf } = state;
  const number = useContext(ShownContext)?.version ?? version;
  const isPinned = number !== undefined && (version !== undefined || asOf !== undefined);
  const parts = [shown, tenant, isPinned && text("version", { version: number }), text("title")];
  const title = [...new Set(parts.filter(Boolean))].join(" – ");
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
}

/**
 * A link to another state: a real address, so that it opens in a tab of its own too.
 * @param {{ to: Partial<State>, focus?: boolean, onGo?: () => void, children?: any, [attribute: string]: any }} props
 */
export function Link({ to, focus = true, onGo, children, ...rest }) {
  const { state, go } = usePage();
  /** @param {MouseEvent} event */
  const follow = (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onGo?.();
    go(to, { focus });
  };
  return html`<a href=${`${location.pathname}${format(change(state, to))}`} onClick=${follow} ...${rest}>${children}</a>`;
}
