/** The tree pane: only the rows that can be seen are in the document, however many there are. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { usePage, useShown } from "../page.js";
import { Problem } from "../parts.js";
import { text } from "../texts.js";
import { FilterField, matches, useFilter } from "./filter.js";
import { Item } from "./item.js";
import { effect, TypeAhead } from "./keys.js";
import { layout, measures, rowAt } from "./layout.js";
import { key, Tree } from "./model.js";
import { levels } from "./read.js";
import { useView } from "./view.js";

/** Rows that are kept beyond both edges of what can be seen. */
const BEYOND = 12;

/**
 * @typedef {import("../answers.js").Term} Term
 * @typedef {import("./model.js").Row} Row
 */

/** @param {{ term: Term | undefined }} props The term that the page shows, once it is there. */
export function TreePane({ term }) {
  const { api, state, go, announce } = usePage();
  const { path, query, culture, head, beside } = useShown();
  const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0);
  const open = useRef(/** @type {Set<string>} */ (new Set()));
  const isWithDeprecated = state.retired ?? false;
  const whole = useMemo(() => new Tree(levels({ path, query, isWithDeprecated, beside }, api), () => redraw(0), open.current), [path, query.version, query.culture, isWithDeprecated, beside.join()]);
  useEffect(() => {
    void whole.load(null);
    return () => whole.dispose();
  }, [whole]);
  const filter = useFilter();
  const found = useMemo(
    () => (filter.search ? new Tree(matches({ path, query, isWithDeprecated }, api, filter.search, filter.below), () => redraw(0), new Set()) : null),
    [path, query.version, query.culture, isWithDeprecated, filter.search, filter.below?.key],
  );
  useEffect(() => {
    void found?.load(null);
    return () => found?.dispose();
  }, [found]);
  const tree = found ?? whole;
  const shownTerm = term && term.id === state.term ? term : undefined;
  const mustReveal = useRef(false);
  // Whether the reader moves through the tree, so that what comes next is read.
  const isReading = useRef(false);
  useEffect(() => {
    if (!shownTerm) return;
    mustReveal.current = true;
    isReading.current = false;
    whole.openPath(shownTerm);
  }, [whole, shownTerm]);

  const selected = state.term !== undefined ? key("term", state.term) : state.category !== undefined ? key("category", state.category) : undefined;
  const rows = tree.rows();
  const [focused, setFocused] = useState(/** @type {string | undefined} */ (undefined));
  const at = (/** @type {string | undefined} */ wanted) => rows.findIndex((row) => row.key === wanted);
  const focusedAt = at(focused) >= 0 ? at(focused) : at(selected) >= 0 ? at(selected) : 0;

  const scroller = useRef(/** @type {HTMLDivElement | null} */ (null));
  const view = useView(scroller);
  const { measure, font } = useMemo(measures, []);
  font(view.font);
  const placed = layout(rows, { width: view.width, row: view.row || 28, selected, culture, beside, measure });
  const rowHeight = view.row || 28;
  const wantsFocus = useRef(false);

  /** @param {number} index */
  const extent = (index) => ({ top: (placed.tops[index] ?? 0) * rowHeight, bottom: (placed.tops[index + 1] ?? placed.height) * rowHeight });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !view.row || !mustReveal.current || !selected || found) return;
    const index = at(selected);
    if (index < 0) return;
    const { top, bottom } = extent(index);
    if (top < element.scrollTop || bottom > element.scrollTop + view.height) element.scrollTop = Math.max(0, top - view.height / 3);
    // Rows above may still come and move it.
    if (!whole.isReading(selected)) mustReveal.current = false;
  });
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    const element = scroller.current;
    const { top, bottom } = extent(focusedAt);
    if (element && top < element.scrollTop) element.scrollTop = top;
    if (element && bottom > element.scrollTop + view.height) element.scrollTop = bottom - view.height;
    /** @type {HTMLElement | null | undefined} */ (element?.querySelector("[tabindex='0']"))?.focus({ preventScroll: true });
  });

  /** @param {number} index */
  const moveTo = (index) => {
    mustReveal.current = false;
    isReading.current = true;
    wantsFocus.current = true;
    setFocused(rows[index]?.key);
    redraw(0);
  };
  /** Reads the next page of a level; the first new row takes the place of this one, and its focus. @param {Row} row */
  const read = (row) => {
    const place = at(row.key);
    void tree.load(row.parent).then(() => {
      const isFocused = scroller.current?.querySelector(":focus")?.getAttribute("data-key") === row.key;
      if (!isFocused) return;
      wantsFocus.current = true;
      setFocused(tree.rows()[place]?.key);
      redraw(0);
    });
  };
  /** @param {Row} row @param {{ focus: boolean, opens: boolean }} how */
  const act = (row, { focus, opens }) => {
    if (row.kind === "more" || row.kind === "failed") {
      announce(text("tree.loading"));
      read(row);
    }
    if (row.kind !== "node") return;
    // A click on the row that is shown closes it again.
    if (opens) tree.toggle(row.node, !row.isOpen || row.key !== selected);
    go(row.node.kind === "term" ? { term: row.node.id, compare: undefined } : { category: row.node.id, compare: undefined }, { focus });
  };
  const typed = useRef(new TypeAhead());
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = event.timeStamp;
    const isLetter = event.key.length === 1 && event.key !== "*" && event.key !== "/" && (event.key !== " " || typed.current.isTyping(now));
    if (isLetter) {
      const next = typed.current.find(event.key, now, rows, focusedAt);
      if (next !== undefined) moveTo(next);
      event.preventDefault();
      return;
    }
    const done = effect(event.key, rows, focusedAt, Math.max(1, Math.floor(view.height / rowHeight) - 1));
    if (!done) return;
    event.preventDefault();
    if (done.focus !== undefined) moveTo(done.focus);
    const row = rows[done.toggle?.row ?? done.siblings ?? done.act ?? done.show ?? -1];
    if (done.toggle && row?.kind === "node") tree.toggle(row.node, done.toggle.isOpen);
    if (done.siblings !== undefined && row) {
      for (const other of rows) if (other.kind === "node" && other.parent === row.parent) tree.toggle(other.node, true);
    }
    if (done.act !== undefined && row) act(row, { focus: true, opens: true });
    if (done.show !== undefined && row) act(row, { focus: false, opens: false });
  };

  const first = Math.max(0, rowAt(placed, view.top / rowHeight) - BEYOND);
  const last = Math.min(rows.length, rowAt(placed, (view.top + view.height) / rowHeight) + 1 + BEYOND);
  const drawn = rows.slice(first, last).map((row, index) => ({ row, index: first + index }));
  const kept = rows[focusedAt];
  if (kept && (focusedAt < first || focusedAt >= last)) drawn.push({ row: kept, index: focusedAt });
  const next = drawn.find(({ row, index }) => row.kind === "more" && !row.isLoading && index >= first && index < last && (!row.isWaiting || isReading.current));
  useEffect(() => {
    if (next && view.row) read(next.row);
  });
  // What the field above filters: what is open where the reader is.
  const here = focused === undefined && selected === undefined ? undefined : rows[focusedAt];
  const near = here?.kind === "node" && here.node.hasChildren ? here.node : here?.parent ?? null;
  /** @param {Row} row */
  const total = (row) => (found ? undefined : row.parent ? row.parent.childCount : head.totals.categories);
  /** @param {FocusEvent} event */
  const comes = (event) => setFocused(/** @type {HTMLElement} */ (event.target).dataset.key);
  const moves = () => {
    mustReveal.current = false;
    isReading.current = true;
  };

  if (whole.top.error && !whole.top.nodes) return html`<div class="tree-pane"><${Problem} error=${whole.top.error} again=${() => whole.load(null)} /></div>`;
  return html`<${FilterField} filter=${filter} below=${near} onDown=${() => rows.length > 0 && moveTo(0)} />
    <div class="tree-pane" ref=${scroller} onPointerDown=${moves} onWheel=${moves} onTouchMove=${moves}>
      <div class="probe" aria-hidden="true"></div>
      <ul role="tree" aria-label=${text("tree")} aria-busy=${tree.top.isLoading ? "true" : "false"} style=${{ height: `calc(${placed.height} * var(--row))` }} onKeyDown=${press} onFocusIn=${comes}>
        ${drawn.map(
          ({ row, index }) =>
            html`<${Item}
              key=${row.key}
              row=${row}
              top=${placed.tops[index] ?? 0}
              lines=${placed.lines[index] ?? 1}
              isSelected=${row.key === selected}
              isTabStop=${index === focusedAt}
              total=${total(row)}
              onAct=${() => {
                setFocused(row.key);
                act(row, { focus: matchMedia("(max-width: 48rem)").matches, opens: true });
              }}
              onToggle=${() => row.kind === "node" && (setFocused(row.key), tree.toggle(row.node, !row.isOpen))}
            />`,
        )}
      </ul>
      ${whole.top.nodes?.length === 0 && html`<p class="muted pad">${text("tree.empty")}</p>`}
      ${found?.top.nodes?.length === 0 && html`<p class="muted pad" role="status">${text("search.nothing")}</p>`}
      ${found?.top.error && html`<${Problem} error=${found.top.error} again=${() => found.load(null)} />`}
    </div>`;
}
