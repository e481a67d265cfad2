/** A term of the shown version: where it is, what is said of it, what it was. */
import { Children } from "../below/children.js";
import { Siblings } from "../below/siblings.js";
import { Failure } from "../failure.js";
import { html } from "../html.js";
import { lazy } from "../lazy.js";
import { Link, usePage } from "../page.js";
import { Coming, Heading, Problem, Text } from "../parts.js";
import { text } from "../texts.js";
import { Badges, CopyBar, Facts, Notes } from "./facts.js";
import { Languages, SideBySide, useNames } from "./languages.js";

// Few terms have these.
const Relations = lazy(() => import("./relations.js"), "Relations");
const Retirement = lazy(() => import("./retirement.js"), "Retirement");
// It is below what the reader came for.
const Timeline = lazy(() => import("./timeline.js"), "Timeline");

/**
 * @typedef {import("../answers.js").Term} Term
 * @param {{ loaded: import("../load.js").Loaded<Term>, wantsFocus: boolean, onFocus: () => void }} props
 */
export function TermPane({ loaded, wantsFocus, onFocus }) {
  const { state } = usePage();
  const names = useNames("terms", loaded.value?.id === state.term ? state.term : undefined);
  if (loaded.error) {
    const existed = loaded.error instanceof Failure ? loaded.error.facts.existed : undefined;
    const isOld = state.version !== undefined || state.asOf !== undefined;
    return html`<${Heading} text=${text("term.id", { id: state.term ?? "" })} wantsFocus=${wantsFocus} onFocus=${onFocus} /><${Problem} error=${loaded.error} again=${loaded.again}>${existed && html`<${Link} class="button" to=${{ version: existed.from.version }}>${text("app.newer.show", { newer: existed.from.version })}<//>`}${isOld && html`<${Link} class="button" to=${{ version: undefined, asOf: undefined }}>${text("app.served.it")}<//>`}<//>`;
  }
  const term = loaded.value;
  if (!term || term.id !== state.term) return html`<${Coming} heading=${text("term.id", { id: state.term ?? "" })} what=${text("loading.term")} />`;
  const lineage = [...term.ancestors].reverse();
  return html`<article aria-busy=${loaded.isLoading ? "true" : "false"}>
    <nav class="crumbs" aria-label=${text("term.place")}>
      <ol>
        <li><${Link} to=${{ category: term.category.id }}><${Text} text=${term.category.name} lang=${term.category.culture} /><//></li>
        ${lineage.map((above) => html`<li key=${above.id}><${Link} to=${{ term: above.id }}><${Text} text=${above.name} lang=${above.culture} /><//></li>`)}
      </ol>
    </nav>
    <${Heading} code=${term.notation} text=${term.name} lang=${term.culture} wantsFocus=${wantsFocus} onFocus=${onFocus} />
    ${term.place && html`<${Siblings} kind="term" place=${term.place} />`}
    <${Badges} node=${term} />
    ${(term.deprecated || term.removed) && html`<${Retirement} node=${term} />`}
    <${Notes} node=${term} />
    <${SideBySide} names=${names} />
    ${term.place && term.place.childCount > 0 && html`<${Children} key=${`children-${term.id}`} kind="terms" id=${term.id} place=${term.place} />`}
    <${Facts} node=${term} kind="term" />
    <${CopyBar} node=${term} kind="term" />
    ${term.relations.length > 0 && html`<${Relations} relations=${term.relations} />`}
    <${Languages} names=${names} />
    <${Timeline} key=${`history-${term.id}`} id=${term.id} />
  </article>`;
}
