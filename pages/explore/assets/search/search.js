/** Search: a combobox over the names, alternative names, codes and ids of the shown version. Without a choice Enter shows all results as a page. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { inWords } from "../failure.js";
import { html } from "../html.js";
import { lazy } from "../lazy.js";
import { Link, usePage, useShown } from "../page.js";
import { idsIn, LONGEST_QUERY, MOST_IDS } from "../state.js";
import { text } from "../texts.js";
import { isId } from "./hits.js";
import { Option } from "./option.js";
import { useHits } from "./use_hits.js";

const NothingFound = lazy(() => import("./nothing_found.js"), "NothingFound");

/** The most that the field takes: a list of ids is longer than any query. */
const LONGEST = 8000;

export function Search() {
  const { state, go, announce } = usePage();
  const { head } = useShown();
  // The field has what the page shows the results of.
  const shown = state.q ?? state.ids?.replaceAll(",", ", ") ?? "";
  const [typed, setTyped] = useState(shown);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  // The id that Enter was pressed for before its hit was there.
  const [awaited, setAwaited] = useState("");
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const pasted = idsIn(typed);
  const ids = pasted && pasted.length > 1 ? pasted : undefined;
  const asked = ids ? "" : [...typed.trim()].slice(0, LONGEST_QUERY).join("");
  const { hits, current, isCurrent, isSlow } = useHits(asked, isOpen);
  const items = hits?.items ?? [];

  useEffect(() => setTyped(shown), [shown]);
  useEffect(() => setActive(-1), [current]);
  const close = () => {
    setOpen(false);
    setAwaited("");
  };
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
    const outside = (event) => !root.current?.contains(/** @type {Node} */ (event.target)) && close();
    document.addEventListener("keydown", slash);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("keydown", slash);
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, []);

  /** @param {import("./hits.js").Hit} hit */
  const choose = (hit) => {
    close();
    setTyped("");
    go(hit.kind === "category" ? { category: hit.id, compare: undefined } : { term: hit.id, compare: undefined }, { focus: true });
  };
  const isTooMany = ids !== undefined && ids.length > MOST_IDS;
  /** Those of the part of the taxonomy that the page shows. */
  const here = state.term !== undefined ? { to: { below: state.term }, words: /** @type {const} */ ("search.below") } : state.category !== undefined && { to: { within: state.category }, words: /** @type {const} */ ("search.within") };
  /** All results, as a page. */
  const results = ids ? { ids: ids.join() } : { q: asked };
  const showResults = () => {
    close();
    go(results, { focus: true });
  };
  useEffect(() => {
    if (!isCurrent || awaited !== current) return;
    const [first] = items;
    if (first?.matched.kind === "id") choose(first);
    else showResults();
  }, [isCurrent, awaited, current]);
  const enter = () => {
    const chosen = isCurrent ? items[active] : undefined;
    if (chosen) choose(chosen);
    else if (isTooMany) announce(text("search.ids.most", { count: ids.length, most: MOST_IDS }));
    else if (isId(asked)) setAwaited(current);
    else if (ids || asked) showResults();
  };
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
      enter();
    } else if (event.key === "Escape") {
      if (isOpen) close();
      else setTyped("");
    }
  };
  /** A field of one line drops the ends of lines, and with them what separates ids. @param {ClipboardEvent} event */
  const paste = (event) => {
    const found = event.clipboardData?.getData("text") ?? "";
    if (!/[\r\n]/.test(found) || !idsIn(found)) return;
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (event.target);
    field.setRangeText(found.trim().split(/[\s,;]+/).join(", "), field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    setTyped(field.value);
    setOpen(true);
  };
  const isWaiting = isSlow || (!isCurrent && awaited === current);
  const isShown = isOpen && (ids !== undefined || (asked !== "" && (hits !== null || isWaiting)));
  useEffect(() => {
    if (active >= 0) document.getElementById(`hit-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const failure = isCurrent && hits?.error !== undefined ? inWords(hits.error) : undefined;
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
        setAwaited("");
        setOpen(true);
      }}
      onFocus=${() => setOpen(true)}
      onPaste=${paste}
      onKeyDown=${press}
    />
    <kbd aria-hidden="true">/</kbd>
    <div class="hits" hidden=${!isShown}>
      <ul id="hits" role="listbox" aria-label=${text("search.hits")} hidden=${items.length === 0}>
        ${items.map(
          (hit, index) =>
            html`<${Option} key=${`${hit.kind} ${hit.id}`} id=${`hit-${index}`} hit=${hit} place=${hits?.places.get(hit.id)} isActive=${index === active} onChoose=${() => choose(hit)} />`,
        )}
      </ul>
      ${isWaiting && html`<p class="pad muted">${text("search.waiting")}</p>`}
      ${failure && html`<p class="pad" role="alert">${failure.title}. ${failure.advice}</p>`}
      ${isCurrent && !failure && items.length === 0 && html`<div class="pad"><${NothingFound} text=${asked} version=${head.version} found=${hits?.nothingFound} onGo=${close} /></div>`}
      ${isTooMany && html`<p class="pad" role="alert">${text("search.ids.most", { count: ids.length, most: MOST_IDS })}</p>`}
      ${ids && !isTooMany && html`<${Link} class="all-results" to=${results} onGo=${close}>${text("search.ids", { count: ids.length })}<//>`}
      ${isCurrent && hits && items.length > 0 && html`<${Link} class="all-results" to=${results} onGo=${close}>${text(hits.isMinimum ? "search.all.more" : "search.all", { count: hits.total })}<//>`}
      ${isCurrent && items.length > 0 && here && html`<${Link} class="all-results" to=${{ q: asked, ...here.to }} onGo=${close}>${text(here.words)}<//>`}
    </div>
  </div>`;
}
