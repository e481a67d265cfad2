/** The version that the page shows: the served one, another by its number, or the one of a time; and what it is compared with. */
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { lazy } from "../lazy.js";
import { Link, usePage, useShown } from "../page.js";
import { Menu } from "../parts.js";
import { text } from "../texts.js";
import { moment } from "../words.js";

const VersionList = lazy(() => import("./list.js"), "VersionList");

/** @param {{ newest: number | undefined }} props The newest version that is known to be served. */
export function VersionPicker({ newest }) {
  const { state } = usePage();
  const { version, head } = useShown();
  const isServed = state.version === undefined && state.asOf === undefined;
  const label = state.asOf ? text("version.asOf", { version, time: moment(state.asOf) }) : text("version", { version });
  return html`<${Menu} name=${text("version", { version })} label=${label} align="wide">
    ${(/** @type {() => void} */ close) => html`
      <p class="pad">
        ${text("version.of", { version, time: moment(head.committedAt) })}
        ${!isServed && html` <${Link} to=${{ version: undefined, asOf: undefined }} onGo=${close}>${newest ? text("version.served.number", { version: newest }) : text("version.served")}<//>`}
      </p>
      <${AsOf} onGo=${close} />
      <${VersionList} onGo=${close} />
    `}
  <//>`;
}

/** @param {{ onGo: () => void }} props */
function AsOf({ onGo }) {
  const { state, go } = usePage();
  const { head } = useShown();
  const [time, setTime] = useState((state.asOf ?? head.committedAt).slice(0, 16));
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const at = new Date(`${time}Z`);
    if (Number.isNaN(at.getTime())) return;
    onGo();
    // The minute that was chosen belongs to it.
    go({ asOf: new Date(at.getTime() + 59_999).toISOString().replace(/\.\d+Z$/, "Z") });
  };
  return html`<form class="asof pad" onSubmit=${submit}>
    <label for="asof">${text("version.asOf.label")}</label>
    <input id="asof" type="datetime-local" value=${time} onInput=${(/** @type {InputEvent} */ event) => setTime(/** @type {HTMLInputElement} */ (event.target).value)} required />
    <button type="submit">${text("version.show")}</button>
  </form>`;
}
