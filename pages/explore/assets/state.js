/**
 * The state of the page is its address: a link shows the same to every reader, and Back works.
 *
 * @typedef {object} State
 * @property {string} [tenant]
 * @property {number} [version] A version by its number; else `asOf`, else the served one.
 * @property {string} [asOf] RFC 3339.
 * @property {string} [culture] BCP 47; absent: the default culture.
 * @property {string[]} [beside] Cultures that stand beside it, at most `MOST_BESIDE`.
 * @property {number} [term]
 * @property {number} [category] Only without `term`.
 * @property {boolean} [retired] Whether lists show retired terms.
 * @property {string} [gaps] The culture whose missing names are listed; of a category where there is one.
 * @property {number} [compare] The version that the shown one is compared with.
 * @property {string} [operation] Of the comparison only changes of this kind.
 * @property {string} [q] A text whose results the page shows, instead of all of these; `SEARCHED` narrows them.
 * @property {string} [ids] Ids whose terms the page shows as a table, with commas.
 * @property {number} [within] Results of this category, or changes of it in a comparison.
 * @property {number} [below] Results below this term, instead of a category.
 * @property {"all"} [parents] Below it by any of its parents.
 * @property {number} [depth] Results of so many levels.
 * @property {"category" | "term"} [kind]
 * @property {string} [missing] Results without a name in this culture.
 * @property {"only"} [deprecated] Deprecated results alone.
 * @property {"all"} [languages] Results by their names in every culture.
 * @property {number} [page] The page of results, from 2 on.
 */

const LONGEST = 64;
/** The kinds of changes, in the order in which the page lists them. */
export const OPERATIONS = ["added", "removed", "deprecated", "restored", "moved", "renamed", "changed", "finalName"];
/** The most that the service takes as a query. */
export const LONGEST_QUERY = 500;
/** Ids that one table shows. */
export const MOST_IDS = 400;
/** What belongs to results. */
const SEARCHED = /** @type {const} */ (["q", "ids", "within", "below", "parents", "depth", "kind", "missing", "deprecated", "languages", "page"]);
/** More do not fit beside each other in the tree. */
export const MOST_BESIDE = 2;

/**
 * @param {string} search
 * @returns {State}
 */
export function parse(search) {
  const query = new URLSearchParams(search);
  const state = /** @type {State} */ ({});
  const tenant = query.get("tenant");
  if (tenant && tenant.length <= LONGEST) state.tenant = tenant;
  const version = number(query.get("version"));
  const asOf = query.get("asOf");
  if (version !== undefined) state.version = version;
  else if (asOf && !Number.isNaN(Date.parse(asOf))) state.asOf = asOf;
  const culture = query.get("culture");
  if (culture && culture.length <= LONGEST) state.culture = culture;
  const beside = [...new Set(query.get("beside")?.split(","))].filter((tag) => tag && tag.length <= LONGEST && tag !== culture).slice(0, MOST_BESIDE);
  if (beside.length) state.beside = beside;
  const term = number(query.get("term"));
  const category = number(query.get("category"));
  if (term !== undefined) state.term = term;
  else if (category !== undefined) state.category = category;
  if (["1", "true"].includes(query.get("retired") ?? "")) state.retired = true;
  const gaps = query.get("gaps");
  if (gaps && gaps.length <= LONGEST) state.gaps = gaps;
  const compare = number(query.get("compare"));
  if (compare !== undefined) {
    state.compare = compare;
    const operation = query.get("operation");
    const within = number(query.get("within"));
    if (operation && OPERATIONS.includes(operation)) state.operation = operation;
    if (within !== undefined) state.within = within;
  }
  const isFree = term === undefined && category === undefined && compare === undefined;
  return isFree ? { ...state, ...searched(query) } : state;
}

/**
 * What the results are of.
 * @param {URLSearchParams} query
 * @returns {Partial<State>}
 */
function searched(query) {
  const ids = idsIn(query.get("ids") ?? "");
  if (ids?.length) return { ids: ids.slice(0, MOST_IDS).join() };
  const q = [...(query.get("q")?.trim() ?? "")].slice(0, LONGEST_QUERY).join("");
  if (!q) return {};
  /** @type {Partial<State>} */
  const found = { q };
  const within = number(query.get("within"));
  const below = number(query.get("below"));
  const depth = number(query.get("depth"));
  const kind = query.get("kind");
  const missing = query.get("missing");
  const page = number(query.get("page"));
  if (below !== undefined) found.below = below;
  else if (within !== undefined) found.within = within;
  if (below !== undefined && query.get("parents") === "all") found.parents = "all";
  // By several parents a term has several depths.
  else if (depth !== undefined && depth >= 1 && depth <= 32) found.depth = depth;
  if (kind === "category" || kind === "term") found.kind = kind;
  if (missing && missing.length <= LONGEST) found.missing = missing;
  if (query.get("deprecated") === "only") found.deprecated = "only";
  if (query.get("languages") === "all") found.languages = "all";
  if (page !== undefined && page > 1) found.page = page;
  return found;
}

/**
 * The ids that a text consists of, each once, as people paste them: with commas, spaces or lines between them. Undefined if it has anything else.
 * @param {string} text
 */
export function idsIn(text) {
  const parts = text.split(/[\s,;]+/).filter(Boolean);
  const ids = parts.map(number);
  return parts.length && !ids.includes(undefined) ? /** @type {number[]} */ ([...new Set(ids)]) : undefined;
}

/**
 * @param {State} state
 * @returns {string} `?` and the parameters in one order, or nothing.
 */
export function format(state) {
  const query = new URLSearchParams();
  for (const name of /** @type {const} */ (["tenant", "version", "asOf", "culture", "beside", "term", "category", "gaps", "compare", "operation", ...SEARCHED])) {
    const value = state[name];
    if (value !== undefined) query.set(name, String(value));
  }
  if (state.retired) query.set("retired", "1");
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * A state with other members. What another tenant does not have goes.
 * @param {State} state
 * @param {Partial<State>} patch
 * @returns {State}
 */
export function change(state, patch) {
  const next = "tenant" in patch && patch.tenant !== state.tenant ? {} : { ...state };
  if ("version" in patch) delete next.asOf;
  if ("asOf" in patch) delete next.version;
  if ("term" in patch) delete next.category;
  if ("category" in patch) delete next.term;
  // A page is of results or of something else; other results begin with their first page.
  const isElse = "term" in patch || "category" in patch || "compare" in patch;
  const isSearch = "q" in patch || "ids" in patch;
  // What a comparison is narrowed to stays while its terms are looked at.
  const isCompared = next.compare !== undefined && !("compare" in patch) && !isSearch;
  if (isElse || isSearch) for (const name of SEARCHED) if (name !== "within" || !isCompared) delete next[name];
  if (isSearch) for (const name of /** @type {const} */ (["term", "category", "compare"])) delete next[name];
  if (!("page" in patch)) delete next.page;
  // A list of gaps is left for a term, a category, a difference, results, and for the overview.
  if (isElse || isSearch) delete next.gaps;
  return parse(format({ ...next, ...patch }));
}

/**
 * Cultures beside the shown one, with one more or one less.
 * @param {string[]} beside
 * @param {string} tag
 * @returns {string[] | undefined}
 */
export function toggled(beside, tag) {
  const next = beside.includes(tag) ? beside.filter((other) => other !== tag) : [...beside, tag];
  return next.length ? next : undefined;
}

/** @param {string | null} text */
function number(text) {
  const value = text && /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}
