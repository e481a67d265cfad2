/** The hits of what is typed into the search, letter by letter. */
import { useEffect, useState } from "../vendor/hooks.js";
import { sleep } from "../api.js";
import { usePage, useShown } from "../page.js";
import { text } from "../texts.js";
import { find, places } from "./hits.js";

/** Milliseconds without a key before the service is asked. */
const PAUSE = 120;
/** Milliseconds after which waiting is said. */
const LONG = 300;

/** @typedef {import("./hits.js").Hits & { of: string, places: Map<number, import("../answers.js").Named[]>, error?: unknown }} Shown `of`: what was asked. */

/**
 * @param {string} asked
 * @param {boolean} isOpen Without an open list the service is not asked.
 */
export function useHits(asked, isOpen) {
  const { api, state, announce } = usePage();
  const { path, query } = useShown();
  const [hits, setHits] = useState(/** @type {Shown | null} */ (null));
  const [slow, setSlow] = useState("");
  const current = JSON.stringify([asked, path, query.version, query.culture, state.retired]);
  useEffect(() => {
    if (!asked) setHits(null);
    if (!asked || !isOpen || hits?.of === current) return undefined;
    // Replies to what was typed before are dropped with their requests.
    const abort = new AbortController();
    const { signal } = abort;
    const timer = setTimeout(() => setSlow(current), PAUSE + LONG);
    const ask = async () => {
      await sleep(PAUSE, signal);
      const found = await find(api, { path, query, text: asked, isRetiredShown: state.retired === true }, signal);
      setHits({ ...found, of: current, places: new Map() });
      announce(found.items.length ? text("search.found", { count: found.total }) : text("search.nothing"));
      if (found.items.length) setHits({ ...found, of: current, places: await places(api, { path, query, items: found.items }, signal) });
    };
    ask().catch((error) => !signal.aborted && setHits({ of: current, text: asked, items: [], total: 0, isMinimum: false, truncated: false, places: new Map(), error }));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [current, isOpen]);
  const isCurrent = hits?.of === current;
  return { hits, current, isCurrent, isSlow: !isCurrent && slow === current };
}
