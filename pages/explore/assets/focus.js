/** Where the focus was on each page of the history, so that Back gives it back. */

/** Milliseconds in which what had the focus may come back. */
const PATIENCE = 5000;

/** Notes what has the focus, on the entry of the history that the reader leaves. */
export function noteFocus() {
  const element = document.activeElement;
  const row = element?.getAttribute("data-key");
  const href = element?.getAttribute("href");
  const selector = row ? `[data-key="${CSS.escape(row)}"]` : href ? `a[href="${CSS.escape(href)}"]` : element?.id ? `#${CSS.escape(element.id)}` : undefined;
  history.replaceState({ focus: selector }, "");
}

/**
 * Gives the focus back once its element is there, unless the reader does something before.
 * @param {unknown} state Of the entry that is shown again.
 */
export function returnFocus(state) {
  const selector = /** @type {{ focus?: string } | null} */ (state)?.focus;
  if (!selector) return;
  // A link of the page that is left may lead to the same place. A row of the tree stays.
  const former = selector.startsWith("a") ? document.querySelector(selector) : null;
  const give = () => {
    const element = /** @type {HTMLElement | null} */ (document.querySelector(selector));
    if (!element || element === former) return;
    end();
    element.focus();
  };
  const watch = new MutationObserver(give);
  const end = () => {
    clearTimeout(timer);
    watch.disconnect();
    for (const type of ["keydown", "pointerdown"]) removeEventListener(type, end, true);
  };
  const timer = setTimeout(end, PATIENCE);
  for (const type of ["keydown", "pointerdown"]) addEventListener(type, end, true);
  watch.observe(document.body, { childList: true, subtree: true, attributeFilter: ["href", "data-key"] });
  give();
}
