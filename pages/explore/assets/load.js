/** Loading what a part shows: aborted when it is no longer wanted, and what was shown stays until the new answer is there. */
import { useCallback, useEffect, useState } from "./vendor/hooks.js";

/**
 * @template T
 * @typedef {{ value?: T, error?: unknown, isLoading: boolean, again: () => void }} Loaded
 */

/**
 * @template T
 * @param {((signal: AbortSignal) => Promise<T>) | null} load Nothing is loaded where it is null.
 * @param {readonly unknown[]} inputs It is loaded again when one of these is another.
 * @returns {Loaded<T>}
 */
export function useLoaded(load, inputs) {
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([inputs, turn, load === null]);
  const [loaded, setLoaded] = useState(/** @type {{ key?: string, value?: T, error?: unknown }} */ ({}));
  useEffect(() => {
    if (!load) return undefined;
    const abort = new AbortController();
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setLoaded({ key, value }),
      (error) => !abort.signal.aborted && setLoaded({ key, error }),
    );
    return () => abort.abort();
    // `inputs` say when `load` is another one.
  }, [key]);
  const again = useCallback(() => setTurn((last) => last + 1), []);
  return { value: load ? loaded.value : undefined, error: loaded.key === key ? loaded.error : undefined, isLoading: load !== null && loaded.key !== key, again };
}

/** Milliseconds without a letter before the service is asked. */
const PAUSE = 120;

/** A text once its reader has paused. @param {string} typed */
export function useSettled(typed) {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed]);
  return typed ? settled : "";
}

/**
 * A list that is read page by page.
 * @template T
 * @template {import("./answers.js").Page<T>} P
 * @param {(cursor: string | undefined, signal: AbortSignal) => Promise<P>} load
 * @param {readonly unknown[]} inputs
 */
export function usePages(load, inputs) {
  const first = useLoaded((signal) => load(undefined, signal), inputs);
  const key = JSON.stringify(inputs);
  const [more, setMore] = useState(/** @type {{ key?: string, pages: P[], isLoading: boolean, error?: unknown }} */ ({ pages: [], isLoading: false }));
  const pages = first.value ? [first.value, ...(more.key === key ? more.pages : [])] : [];
  const cursor = pages.at(-1)?.nextCursor;
  const next = async () => {
    const before = more.key === key ? more.pages : [];
    setMore({ key, pages: before, isLoading: true });
    try {
      const page = await load(cursor, new AbortController().signal);
      setMore((now) => (now.key === key ? { key, pages: [...before, page], isLoading: false } : now));
    } catch (error) {
      setMore((now) => (now.key === key ? { key, pages: before, isLoading: false, error } : now));
    }
  };
  return {
    items: pages.flatMap((page) => page.items),
    first: first.value,
    error: first.error ?? (more.key === key ? more.error : undefined),
    isLoading: first.isLoading,
    isLoadingMore: more.key === key && more.isLoading,
    again: first.again,
    next: cursor === undefined ? undefined : next,
  };
}
