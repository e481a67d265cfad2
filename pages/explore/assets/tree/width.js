/** The width of the tree, which readers drag. It is kept in the browser, since it is of a screen and not of what a link shows. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { text } from "../texts.js";

/** Where the width is kept, in rem. */
const KEPT = "taxonomy-tree-width";
/** In rem. */
const LEAST = 12;
const MOST = 60;
const USUAL = 24;

/** @param {number} width */
const bounded = (width) => Math.min(MOST, Math.max(LEAST, Math.round(width * 4) / 4));
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

function kept() {
  try {
    const width = Number(localStorage.getItem(KEPT));
    return width > 0 ? bounded(width) : USUAL;
  } catch {
    return USUAL;
  }
}

/** @returns {[number, (width: number) => void]} */
export function useWidth() {
  const [width, setWidth] = useState(kept);
  useEffect(() => {
    try {
      localStorage.setItem(KEPT, String(width));
    } catch {
      // It holds until the page is left.
    }
  }, [width]);
  return [width, (/** @type {number} */ wanted) => setWidth(bounded(wanted))];
}

/**
 * The edge between the tree and the page.
 * @param {{ width: number, setWidth: (width: number) => void }} props
 */
export function Edge({ width, setWidth }) {
  const from = useRef(/** @type {{ x: number, width: number } | null} */ (null));
  /** @param {PointerEvent} event */
  const take = (event) => {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    from.current = { x: event.clientX, width };
    event.preventDefault();
  };
  /** @param {PointerEvent} event */
  const drag = (event) => from.current && setWidth(from.current.width + (event.clientX - from.current.x) / rem());
  const leave = () => {
    from.current = null;
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const wanted = { ArrowLeft: width - 1, ArrowRight: width + 1, Home: LEAST, End: MOST, Enter: USUAL }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    setWidth(wanted);
  };
  return html`<div
    class="edge"
    role="separator"
    aria-orientation="vertical"
    aria-label=${text("tree.width")}
    aria-valuemin=${LEAST}
    aria-valuemax=${MOST}
    aria-valuenow=${width}
    tabindex="0"
    title=${text("tree.width")}
    onPointerDown=${take}
    onPointerMove=${drag}
    onPointerUp=${leave}
    onPointerCancel=${leave}
    onDblClick=${() => setWidth(USUAL)}
    onKeyDown=${press}
  ></div>`;
}
