/** Which version is served by now, and what the page says where it shows another one. */
import { useCallback, useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { Link, usePage, useShown } from "../page.js";
import { text } from "../texts.js";
import { moment } from "../words.js";

/** Milliseconds between two looks for a newer version, at least. */
const LOOK_EVERY = 15_000;

/** Whether the address names a version or a time, so that the page stays at it. @param {import("../state.js").State} state */
export const isPinned = ({ version, asOf }) => version !== undefined || asOf !== undefined;

/**
 * The number of the served version, as far as it is known. Looks when the reader comes back to the page or goes on in it; where the page stays
 * at another version, at once.
 * @param {import("../page.js").Shown | null} shown
 */
export function useServed(shown) {
  const { api, state } = usePage();
  const [served, setServed] = useState({ tenant: "", version: 0 });
  const last = useRef(Date.now());
  const stays = isPinned(state);
  const known = served.tenant === shown?.tenant ? served.version : 0;
  const mustLook = stays && known === 0;
  const look = useCallback(async () => {
    if (!shown || document.visibilityState !== "visible" || (Date.now() - last.current < LOOK_EVERY && !mustLook)) return;
    last.current = Date.now();
    // A look is worth no message: the next one comes.
    const head = await api.get(shown.path, { fields: "version" }).catch(() => undefined);
    if (head) setServed({ tenant: shown.tenant, version: head.version });
  }, [shown, mustLook]);
  useEffect(() => {
    const timer = setInterval(look, LOOK_EVERY);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [look]);
  useEffect(() => void look(), [state, look]);
  if (!shown) return undefined;
  return stays ? known || undefined : Math.max(known, shown.version);
}

/**
 * Says that another version is served: a newer one than the page began with, or that the page stays at an old one.
 * @param {{ served: number | undefined, again: () => void }} props `again` shows the newest one.
 */
export function Band({ served, again }) {
  const { state } = usePage();
  const { version, head } = useShown();
  if (served === undefined || served === version) return null;
  if (!isPinned(state)) {
    return html`<p class="notice" role="status">
      ${text("app.newer", { newer: served, version })}
      <button type="button" onClick=${again}>${text("app.newer.show", { newer: served })}</button>
    </p>`;
  }
  return html`<aside class="notice old" aria-label=${text("version", { version })}>
    ${text("app.old", { version, time: moment(head.committedAt), served })}
    <${Link} class="button" to=${{ version: undefined, asOf: undefined }}>${text("app.newer.show", { newer: served })}<//>
    <${Link} class="button" to=${{ version: undefined, asOf: undefined, compare: version, term: undefined, category: undefined }}>${text("app.old.compare")}<//>
  </aside>`;
}
