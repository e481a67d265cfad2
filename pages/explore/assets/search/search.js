/** Search: a combobox over the names, alternative names, notations and ids of the shown version. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { sleep } from "../api.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { find, places } from "./hits.js";
import { NothingFound } from "./nothing_found.js";
import { Option } from "./option.js";
import { text } from "../texts.js";

/** Milliseconds without a key before the service is asked. */
const PAUSE = 120;
/** The most that a query may have. */
const LONGEST = 500;

/** @typedef {import("./hits.js").Hits & { of: string, places: Map<number, import("../answers.js").Named[]>, error?: unknown }} Shown `of`: what was asked. */

export function Search() {
  const { api, state, go, announce } = usePage();
  const { path, query, head } = useShown();
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [hits, setHits] = useState(/** @type {Shown | null} */ (null));
  const [active, setActive] = useState(-1);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const asked = typed.trim();
  const current = JSON.stringify([asked, path, query.version, query.culture, state.retired]);
  // The one that Enter was pressed for before its hits were there.
  const [awaited, setAwaited] = useState("");

  useEffect(() => {
    setActive(-1);
    if (!asked) {
      setHits(null);
      return undefined;
    }
    // Replies to what was typed before are dropped with their requests.
    const abort = new AbortController();
    const { signal } = abort;
    const ask = async () => {
      await sleep(PAUSE, signal);
      const found = await find(api, { path, query, text: asked, isRetiredShown: state.retired === true }, signal);
      setHits({ ...found, of: current, places: new Map() });
      announce(found.items.length ? text("search.found", { count: found.items.length }) : text("search.nothing"));
      if (found.items.length) setHits({ ...found, of: current, places: await places(api, { path, query, items: found.items }, signal) });
    };
    ask().catch((error) => !signal.aborted && setHits({ of: current, text: asked, items: [], truncated: false, places: new Map(), error }));
    return () => abort.abort();
  }, [current]);

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
      if (root.current?.contains(/** @type {Node} */ (event.target))) return;
      setOpen(false);
      setAwaited("");
    };
    document.addEventListener("keydown", slash);
    document.addEventListener("pointerdown", outside);
    return () => {
      document.removeEventListener("keydown", slash);
      document.removeEventListener("pointerdown", outside);
    };
  }, []);

  const items = hits?.items ?? [];
  const isCurrent = hits?.of === current;
  /** @param {import("./hits.js").Hit | undefined} hit */
  const choose = (hit) => {
    setAwaited("");
    if (!hit) return;
    setOpen(false);
    setTyped("");
    go({ ...(hit.kind === "category" ? { category: hit.id } : { term: hit.id }), compare: undefined }, { focus: true });
  };
  useEffect(() => {
    if (isCurrent && awaited === current) choose(items[0]);
  }, [isCurrent, awaited, current]);
  /** The keyboard chooses among the hits of what is typed, never among those of what was typed before. @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length && isCurrent) {
      event.preventDefault();
      setOpen(true);
      setActive(isOpen ? (active + step + items.length + (active < 0 && step < 0 ? 1 : 0)) % items.length : 0);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (isCurrent) choose(items[Math.max(active, 0)]);
      else if (asked) setAwaited(current);
    } else if (event.key === "Escape") {
      setAwaited("");
      if (isOpen) setOpen(false);
      else setTyped("");
    } else if (event.key === "Tab") {
      setAwaited("");
      setOpen(false);
    }
  };
  const isWaiting = !isCurrent && awaited === current;
  const isShown = isOpen && asked !== "" && (hits !== null || isWaiting);
  useEffect(() => {
    if (active >= 0) document.getElementById(`hit-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return html`<div class="search" role="search" ref=${root}>
    <label class="visually-hidden" for="search">${text("search.label")}</label>
    <input
      id="search"
      ref=${input}
      type="text"
      role="combobox"
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      maxlength=${LONGEST}
      placeholder=${text("search.placeholder")}
      aria-autocomplete="list"
      aria-expanded=${isShown && items.length > 0 ? "true" : "false"}
      aria-controls="hits"
      aria-activedescendant=${isShown && active >= 0 ? `hit-${active}` : undefined}
      aria-keyshortcuts="/"
      dir="auto"
      value=${typed}
      onInput=${(/** @type {InputEvent} */ event) => {
        setTyped(/** @type {HTMLInputElement} */ (event.target).value);
        setOpen(true);
      }}
      onFocus=${() => setOpen(true)}
      onKeyDown=${press}
    />
    <kbd aria-hidden="true">/</kbd>
    <div class="hits" hidden=${!isShown}>
      <ul id="hits" role="listbox" aria-label=${text("search.hits")} hidden=${items.length === 0}>
        ${items.map(
          (hit, index) =>
            html`<${Option}
              key=${`${hit.kind} ${hit.id}`}
              id=${`hit-${index}`}
              hit=${hit}
              place=${hit.kind === "term" ? hits?.places.get(hit.id) : undefined}
              isActive=${index === active}
              onChoose=${() => choose(hit)}
            />`,
        )}
      </ul>
      ${isWaiting && html`<p class="pad muted">${text("search.waiting")}</p>`}
      ${isCurrent && hits.error !== undefined && html`<p class="pad" role="alert">${inWords(hits.error).title}. ${inWords(hits.error).advice}</p>`}
      ${isCurrent && hits.error === undefined && items.length === 0 && html`<${NothingFound} text=${hits.text} version=${head.version} found=${hits.nothingFound} />`}
      ${isCurrent && hits.truncated && html`<p class="pad muted">${text("search.better")}</p>`}
    </div>
  </div>`;
}
