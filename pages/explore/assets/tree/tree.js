/** The tree pane: only the rows that can be seen are in the document, however many there are. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { Problem } from "../parts.js";
import { text } from "../texts.js";
import { effect, TypeAhead } from "./keys.js";
import { key, Tree } from "./model.js";
import { Item } from "./item.js";

/** Items of a page: the most that a list of the API has. */
const PAGE = 100;
/** Rows that are kept beyond both edges of what can be seen. */
const BEYOND = 12;
/** What a row shows, so that an answer holds no more. */
const FIELDS = "name,culture,deprecated,childCount";

/**
 * @typedef {import("../answers.js").Term} Term
 * @typedef {import("./model.js").Row} Row
 */

/** @param {{ term: Term | undefined }} props The term that the page shows, once it is there. */
export function TreePane({ term }) {
  const { api, state, go, announce } = usePage();
  const { path, query } = useShown();
  const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0);
  const open = useRef(/** @type {Set<string>} */ (new Set()));
  const retired = state.retired ?? false;
  const tree = useMemo(
    () =>
      new Tree(
        (parent, cursor, signal) => {
          const options = { ...query, limit: PAGE, cursor, deprecated: retired ? undefined : "exclude" };
          if (!parent) return api.get(`${path}/categories`, { ...options, fields: FIELDS }, { signal });
          if (parent.kind === "category") return api.get(`${path}/categories/${parent.id}/terms`, { ...options, depth: 1, fields: FIELDS }, { signal });
          return api.get(`${path}/terms/${parent.id}/children`, { ...options, fields: FIELDS }, { signal });
        },
        () => redraw(0),
        open.current,
      ),
    [path, query.version, query.culture, retired],
  );
  useEffect(() => {
    void tree.load(null);
    return () => tree.dispose();
  }, [tree]);
  const shownTerm = term && term.id === state.term ? term : undefined;
  const mustReveal = useRef(false);
  useEffect(() => {
    if (!shownTerm) return;
    mustReveal.current = true;
    tree.openPath(shownTerm);
  }, [tree, shownTerm]);

  const selected = state.term !== undefined ? key("term", state.term) : state.category !== undefined ? key("category", state.category) : undefined;
  const rows = tree.rows();
  const [focused, setFocused] = useState(/** @type {string | undefined} */ (undefined));
  const at = (/** @type {string | undefined} */ wanted) => rows.findIndex((row) => row.key === wanted);
  const focusedAt = at(focused) >= 0 ? at(focused) : at(selected) >= 0 ? at(selected) : 0;

  const scroller = useRef(/** @type {HTMLDivElement | null} */ (null));
  const view = useView(scroller);
  const wantsFocus = useRef(false);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !view.row || !mustReveal.current || !selected) return;
    const index = at(selected);
    if (index < 0) return;
    const top = index * view.row;
    if (top < element.scrollTop || top + view.row > element.scrollTop + view.height) element.scrollTop = Math.max(0, top - view.height / 3);
    // Rows above may still come and move it.
    if (!tree.isReading(selected)) mustReveal.current = false;
  });
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const element = scroller.current;
    const top = focusedAt * view.row;
    if (element && top < element.scrollTop) element.scrollTop = top;
    if (element && top + view.row > element.scrollTop + view.height) element.scrollTop = top + view.row - view.height;
    /** @type {HTMLElement | null | undefined} */ (element?.querySelector("[tabindex='0']"))?.focus({ preventScroll: true });
  });

  /** @param {number} index */
  const moveTo = (index) => {
    mustReveal.current = false;
    wantsFocus.current = true;
    setFocused(rows[index]?.key);
    redraw(0);
  };
  /** @param {Row} row @param {boolean} byKey */
  const act = (row, byKey) => {
    if (row.kind === "more" || row.kind === "failed") {
      announce(text("tree.loading"));
      const place = at(row.key);
      void tree.load(row.parent).then(() => {
        // The first new row takes the place of this one, and the focus.
        if (!byKey) return;
        wantsFocus.current = true;
        setFocused(tree.rows()[place]?.key);
        redraw(0);
      });
    }
    if (row.kind !== "node") return;
    const isNarrow = matchMedia("(max-width: 48rem)").matches;
    go(row.node.kind === "term" ? { term: row.node.id, compare: undefined } : { category: row.node.id, compare: undefined }, { focus: byKey || isNarrow });
  };
  const typed = useRef(new TypeAhead());
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = event.timeStamp;
    const isLetter = event.key.length === 1 && event.key !== "*" && event.key !== "/" && (event.key !== " " || typed.current.isTyping(now));
    if (isLetter) {
      const found = typed.current.find(event.key, now, rows, focusedAt);
      if (found !== undefined) moveTo(found);
      event.preventDefault();
      return;
    }
    const done = effect(event.key, rows, focusedAt);
    if (!done) return;
    event.preventDefault();
    if (done.focus !== undefined) moveTo(done.focus);
    const row = rows[done.toggle?.row ?? done.siblings ?? done.act ?? -1];
    if (done.toggle && row?.kind === "node") tree.toggle(row.node, done.toggle.isOpen);
    if (done.siblings !== undefined && row) {
      for (const other of rows) if (other.kind === "node" && other.parent === row.parent) tree.toggle(other.node, true);
    }
    if (done.act !== undefined && row) act(row, true);
  };

  const first = Math.max(0, Math.floor(view.top / (view.row || 28)) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / (view.row || 28)) + BEYOND);
  const drawn = rows.slice(first, last).map((row, index) => ({ row, index: first + index }));
  const kept = rows[focusedAt];
  if (kept && (focusedAt < first || focusedAt >= last)) drawn.push({ row: kept, index: focusedAt });

  if (tree.top.error && !tree.top.nodes) return html`<div class="tree-pane"><${Problem} error=${tree.top.error} again=${() => tree.load(null)} /></div>`;
  return html`<div class="tree-pane" ref=${scroller} onPointerDown=${() => (mustReveal.current = false)} onWheel=${() => (mustReveal.current = false)}>
    <div class="probe" aria-hidden="true"></div>
    <ul role="tree" aria-label=${text("tree")} aria-busy=${tree.top.isLoading ? "true" : "false"} style=${{ height: `calc(${rows.length} * var(--row))` }} onKeyDown=${press}>
      ${drawn.map(
        ({ row, index }) =>
          html`<${Item}
            key=${row.key}
            row=${row}
            index=${index}
            isSelected=${row.key === selected}
            isTabStop=${index === focusedAt}
            onAct=${() => {
              setFocused(row.key);
              act(row, false);
            }}
            onToggle=${() => row.kind === "node" && (setFocused(row.key), tree.toggle(row.node, !row.isOpen))}
          />`,
      )}
    </ul>
    ${tree.top.nodes?.length === 0 && html`<p class="muted pad">${text("tree.empty")}</p>`}
  </div>`;
}

/**
 * What of the pane can be seen, in pixels, and the height of a row.
 * @param {{ current: HTMLDivElement | null }} scroller
 */
function useView(scroller) {
  const [view, setView] = useState({ top: 0, height: 600, row: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    let frame = 0;
    const look = () => {
      frame = 0;
      const row = element.querySelector(".probe")?.getBoundingClientRect().height ?? 28;
      setView((was) => {
        const now = { top: element.scrollTop, height: element.clientHeight, row };
        return was.top === now.top && was.height === now.height && was.row === now.row ? was : now;
      });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    element.addEventListener("scroll", soon, { passive: true });
    look();
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      element.removeEventListener("scroll", soon);
    };
  }, [scroller.current]);
  return view;
}
