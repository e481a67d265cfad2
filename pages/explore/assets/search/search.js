/** Search: a combobox over the names, alternative names and notations of the shown version. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { sleep } from "../api.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { Option } from "./option.js";

/** Milliseconds without a key before the service is asked. */
const PAUSE = 120;
const HITS = 12;
/** The most that a query may have. */
const LONGEST = 200;

/**
 * @typedef {import("../answers.js").Suggestion} Suggestion
 * @typedef {{ query: string, items: Suggestion[], truncated: boolean, places: Map<number, import("../answers.js").Named[]>, error?: unknown }} Hits
 */

export function Search() {
  const { api, state, go, announce } = usePage();
  const { path, query, head } = useShown();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [hits, setHits] = useState(/** @type {Hits | null} */ (null));
  const [active, setActive] = useState(-1);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const asked = text.trim();

  useEffect(() => {
    setActive(-1);
    if (!asked) {
      setHits(null);
      return undefined;
    }
    // Replies to what was typed before are dropped with their requests.
    const abort = new AbortController();
    const { signal } = abort;
    const options = { signal, hurried: true };
    const ask = async () => {
      await sleep(PAUSE, signal);
      const found = await api.get(`${path}/suggest`, { ...query, q: asked, limit: HITS, deprecated: state.retired ? undefined : "exclude" }, options);
      const shown = { query: asked, items: found.items, truncated: found.truncated, places: new Map() };
      setHits(shown);
      announce(found.items.length ? `${found.items.length} found. Use the arrow keys.` : "Nothing found.");
      if (!found.items.length) return;
      const ids = found.items.map((/** @type {Suggestion} */ item) => item.id).join(",");
      const batch = await api.get(`${path}/terms`, { ...query, ids, fields: "category.name,ancestors.name" }, options);
      const places = new Map(
        batch.items.flatMap((/** @type {import("../answers.js").Batched} */ item) => (item.term ? [[item.id, [item.term.category, ...[...item.term.ancestors].reverse()]]] : [])),
      );
      setHits({ ...shown, places });
    };
    ask().catch((error) => !signal.aborted && setHits({ query: asked, items: [], truncated: false, places: new Map(), error }));
    return () => abort.abort();
  }, [asked, path, query.version, query.culture, state.retired]);

  useEffect(() => {
    /** @param {KeyboardEvent} event */
    const slash = (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select")) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    /** @param {Event} event */
    const outside = (event) => {
      if (!root.current?.contains(/** @type {Node} */ (event.target))) setOpen(false);
    };
    document.addEventListener("keydown", slash);
    document.addEventListener("pointerdown", outside);
    return () => {
      document.removeEventListener("keydown", slash);
      document.removeEventListener("pointerdown", outside);
    };
  }, []);

  const items = hits?.items ?? [];
  /** @param {Suggestion | undefined} hit */
  const choose = (hit) => {
    if (!hit) return;
    setOpen(false);
    setText("");
    go({ term: hit.id, compare: undefined }, { focus: true });
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length) {
      event.preventDefault();
      setOpen(true);
      setActive(isOpen ? (active + step + items.length + (active < 0 && step < 0 ? 1 : 0)) % items.length : 0);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(items[Math.max(active, 0)]);
    } else if (event.key === "Escape") {
      if (isOpen) setOpen(false);
      else setText("");
    } else if (event.key === "Tab") {
      setOpen(false);
    }
  };
  const isShown = isOpen && hits !== null && asked !== "";
  useEffect(() => {
    if (active >= 0) document.getElementById(`hit-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return html`<div class="search" role="search" ref=${root}>
    <label class="visually-hidden" for="search">Search the terms</label>
    <input
      id="search"
      ref=${input}
      type="text"
      role="combobox"
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      maxlength=${LONGEST}
      placeholder="Search names and notations"
      aria-autocomplete="list"
      aria-expanded=${isShown && items.length > 0 ? "true" : "false"}
      aria-controls="hits"
      aria-activedescendant=${isShown && active >= 0 ? `hit-${active}` : undefined}
      aria-keyshortcuts="/"
      dir="auto"
      value=${text}
      onInput=${(/** @type {InputEvent} */ event) => {
        setText(/** @type {HTMLInputElement} */ (event.target).value);
        setOpen(true);
      }}
      onFocus=${() => setOpen(true)}
      onKeyDown=${press}
    />
    <kbd aria-hidden="true">/</kbd>
    <div class="hits" hidden=${!isShown}>
      <ul id="hits" role="listbox" aria-label="Terms found" hidden=${items.length === 0}>
        ${items.map(
          (hit, index) =>
            html`<${Option}
              key=${hit.id}
              id=${`hit-${index}`}
              hit=${hit}
              place=${hits?.places.get(hit.id)}
              isActive=${index === active}
              onChoose=${() => choose(hit)}
            />`,
        )}
      </ul>
      ${isShown && hits.error !== undefined && html`<p class="pad" role="alert">${inWords(hits.error).title}. ${inWords(hits.error).advice}</p>`}
      ${isShown && hits.error === undefined && items.length === 0 && html`<p class="pad muted">No term of version ${head.version} matches “<bdi>${hits.query}</bdi>”.</p>`}
      ${isShown && hits.truncated && html`<p class="pad muted">There may be better ones: type more letters.</p>`}
    </div>
  </div>`;
}
