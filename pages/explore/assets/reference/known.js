/** Ids of a taxonomy that exist, so that the first request of a reader finds something. */

/**
 * @typedef {object} Known
 * @property {string} tenant
 * @property {number} version
 * @property {number} [category]
 * @property {number} [term]
 * @property {string} [name] Of the term.
 * @property {string} [path]
 * @property {string} [notation]
 */

/**
 * @param {import("../api.js").Api} api
 * @param {string} tenant
 * @param {AbortSignal} signal
 * @returns {Promise<Known>}
 */
export async function find(api, tenant, signal) {
  const path = `tenants/${encodeURIComponent(tenant)}`;
  const { version } = await api.get(path, { fields: "version" }, { signal });
  /** @type {{ items: import("../answers.js").Listed[] }} */
  const { items } = await api.get(`${path}/categories`, { version, limit: 100, fields: "childCount" }, { signal });
  const category = (items.find(({ childCount }) => childCount > 0) ?? items[0])?.id;
  if (category === undefined) return { tenant, version };
  const { items: terms } = await api.get(`${path}/categories/${category}/terms`, { version, limit: 1, fields: "name,path,notation" }, { signal });
  const [term] = terms;
  return { tenant, version, category, ...(term && { term: term.id, name: term.name, path: term.path, notation: term.notation }) };
}

/**
 * The values that a request begins with: of what it requires, those that exist.
 * @param {import("./description.js").Operation} operation
 * @param {Known | undefined} known
 * @returns {Record<string, string>}
 */
export function values(operation, known) {
  const { path } = operation;
  const before = known && String(Math.max(1, known.version - 1));
  /** @type {Record<string, string | number | undefined>} */
  const found = {
    id: path.includes("/categories/{id}") ? known?.category : path.includes("/versions/{id}") ? known?.version : known?.term,
    ids: known?.term,
    q: known?.name,
    from: before,
    after: before,
    to: known?.version,
    culture: undefined,
  };
  /** @type {Record<string, string>} */
  const all = {};
  for (const { name, isRequired, example } of operation.parameters) {
    if (isRequired && name !== "tenant") all[name] = String(found[name] ?? example ?? "");
  }
  if (operation.id === "getResolved") Object.assign(all, known?.notation ? { notation: known.notation } : known?.path ? { path: known.path } : {});
  return all;
}

/**
 * The body that a request begins with.
 * @param {import("./description.js").Operation} operation
 * @param {Known | undefined} known
 * @returns {string | undefined}
 */
export function body({ id, body: found }, known) {
  if (!found) return undefined;
  /** @type {Record<string, unknown>} */
  const own = {};
  if (known?.term !== undefined) {
    const { term, name, notation, path } = known;
    Object.assign(own, { batchGetTerms: { ids: [term] }, extractTerms: { text: name }, batchResolve: { references: [notation ? { notation } : { path }] } });
  }
  return JSON.stringify(own[id] ?? found.examples[0]?.value ?? {}, null, 2);
}
