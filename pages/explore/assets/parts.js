/** Small parts that all views are made of. */
import { useEffect, useRef, useState } from "./vendor/hooks.js";
import { inWords } from "./failure.js";
import { html } from "./html.js";
import { usePage, useTitle } from "./page.js";
import { rich, text } from "./texts.js";
import { number, visible } from "./words.js";

/**
 * A text out of a taxonomy: isolated from the direction of the text around it, never markup, and with the codes of what nobody sees.
 * @param {{ text: string, lang?: string }} props
 */
export function Text({ text: words, lang }) {
  return html`<bdi dir="auto" lang=${lang}>${visible(words)}</bdi>`;
}

/** A menu or a list of hits that the reader has open. */
const OPENED = '.menu > button[aria-expanded="true"], [role="combobox"][aria-expanded="true"]';

/**
 * The heading of the right pane, which names the page too. Takes the focus when the reader came here by a command, unless the reader has opened
 * something else while the content was on its way: without the focus that would close.
 * @param {{ text: string, code?: string, lang?: string, wantsFocus: boolean, onFocus: () => void, id?: string }} props
 */
export function Heading({ text: words, code, lang, wantsFocus, onFocus, id }) {
  useTitle(visible(code === undefined ? words : `${code} ${words}`));
  const heading = useRef(/** @type {HTMLHeadingElement | null} */ (null));
  useEffect(() => {
    if (!wantsFocus) return;
    if (!document.querySelector(OPENED)) heading.current?.focus();
    onFocus();
  }, [wantsFocus, words]);
  const named = html`<h1 id=${id} ref=${heading} tabindex="-1"><${Text} text=${words} lang=${lang} /></h1>`;
  return html`<div class="headline">${code !== undefined && html`<span class="code"><${Text} text=${code} /></span>`}${named}</div>`;
}

/**
 * The heading of a pane whose content is on its way.
 * @param {{ heading: string, what: string }} props
 */
export function Coming({ heading, what }) {
  useTitle(heading);
  return html`<h1 class="visually-hidden">${heading}</h1><${Loading} what=${what} />`;
}

/** What a value is, before it: a value of `rich`. @param {string} words */
export const label = (words) => html`<span class="label">${words}</span>`;

/**
 * Reads the next page of a list, where there is one.
 * @param {{ list: { items: unknown[], next?: () => void, isLoadingMore: boolean }, label?: string, total?: number }} props `total`: how many there are, where that is known.
 */
export function More({ list: { items, next, isLoadingMore }, label: words = text("tree.more"), total }) {
  if (!next) return null;
  return html`<p class="actions">
    <button type="button" onClick=${next} disabled=${isLoadingMore}>${isLoadingMore ? text("loading") : words}</button>
    ${total !== undefined && html`<span class="muted">${text("tree.read", { read: number(items.length), total: number(total) })}</span>`}
  </p>`;
}

/** @param {{ kind: string, children?: any, title?: string }} props */
export function Badge({ kind, children, title }) {
  return html`<span class=${`badge ${kind}`} title=${title}>${children}</span>`;
}

/**
 * Says that something is loaded, once that takes a while, and that it takes longer than usual.
 * @param {{ what: string }} props `what`: the sentence.
 */
export function Loading({ what }) {
  const [phase, setPhase] = useState(0);
  useEffect(() => {
    const timers = [setTimeout(() => setPhase(1), 250), setTimeout(() => setPhase(2), 4000)];
    return () => timers.forEach(clearTimeout);
  }, []);
  return html`<p class="loading" role="status">${phase === 0 ? "" : phase === 1 ? what : `${what} ${text("loading.slow")}`}</p>`;
}

/**
 * A failure in words, with what the reader can do.
 * @param {{ error: unknown, again?: () => void, children?: any }} props
 */
export function Problem({ error, again, children }) {
  const { hasSignIn, signIn } = usePage();
  const { title, advice, detail, request, mayRetry } = inWords(error);
  const mustSignIn = hasSignIn && /** @type {any} */ (error)?.status === 401;
  return html`<div class="problem" role="alert">
    <p class="problem-title">${title}</p>
    <p>${advice}</p>
    ${detail && html`<p class="muted">${rich("problem.detail", { detail: html`<${Text} text=${detail} />` })}</p>`}
    ${request && html`<p class="muted">${rich("problem.request", { request: html`<code>${request}</code>` })}</p>`}
    <p class="actions">
      ${mustSignIn && html`<button type="button" class="primary" onClick=${signIn}>${text("signin.in")}</button>`}
      ${again && mayRetry && !mustSignIn && html`<button type="button" onClick=${again}>${text("problem.again")}</button>`}
      ${children}
    </p>
  </div>`;
}

/**
 * A button that opens a panel below it. Escape and a click elsewhere close it.
 * @param {{ label: any, name: string, children: (close: () => void) => any, align?: string }} props
 */
export function Menu({ label, name, children, align = "" }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    /** @param {Event} event */
    const outside = (event) => {
      if (!root.current?.contains(/** @type {Node} */ (event.target))) setOpen(false);
    };
    /** @param {KeyboardEvent} event */
    const keys = (event) => event.key === "Escape" && close();
    document.addEventListener("keydown", keys);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("keydown", keys);
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [isOpen]);
  const id = `menu-${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return html`<div class="menu" ref=${root}>
    <button type="button" ref=${button} aria-expanded=${isOpen ? "true" : "false"} aria-controls=${id} aria-label=${name} onClick=${() => setOpen(!isOpen)}>
      <span class="menu-label">${label}</span><span class="caret" aria-hidden="true">▾</span>
    </button>
    <div id=${id} class=${`panel ${align}`} role="group" aria-label=${name} hidden=${!isOpen}>${isOpen && children(close)}</div>
  </div>`;
}
