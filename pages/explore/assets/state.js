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
 * @property {number} [compare] The version that the shown one is compared with.
 */

const LONGEST = 64;
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
  if (query.get("retired") === "1") state.retired = true;
  const compare = number(query.get("compare"));
  if (compare !== undefined) state.compare = compare;
  return state;
}

/**
 * @param {State} state
 * @returns {string} `?` and the parameters in one order, or nothing.
 */
export function format(state) {
  const query = new URLSearchParams();
  for (const name of /** @type {const} */ (["tenant", "version", "asOf", "culture", "beside", "term", "category", "compare"])) {
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
