/** What of the pane can be seen, in pixels, the height of a row, and the font of the names. */
import { useEffect, useState } from "../vendor/hooks.js";

/** @typedef {{ top: number, height: number, width: number, row: number, font: string }} View */

/**
 * @param {{ current: HTMLDivElement | null }} scroller
 * @returns {View}
 */
export function useView(scroller) {
  const [view, setView] = useState({ top: 0, height: 600, width: 0, row: 0, font: "" });
  useEffect(() => {
    const element = scroller.current;
    const probe = element?.querySelector(".probe");
    if (!element || !probe) return undefined;
    let frame = 0;
    const look = () => {
      frame = 0;
      const { fontSize, fontFamily } = getComputedStyle(probe);
      const now = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth, row: probe.getBoundingClientRect().height, font: `${fontSize} ${fontFamily}` };
      setView((was) => (Object.keys(now).every((name) => was[/** @type {keyof View} */ (name)] === now[/** @type {keyof View} */ (name)]) ? was : now));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    const sizes = new ResizeObserver(soon);
    sizes.observe(element);
    // Larger letters make a larger row.
    sizes.observe(probe);
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
