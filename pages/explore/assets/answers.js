/**
 * The shapes of the API's answers, as far as the explorer reads them. The whole description is `v1/openapi.json`.
 *
 * @typedef {{ id: number, name: string, culture: string, finalName?: string, path?: string }} Named
 * @typedef {{ version: number, committedAt: string, cultures: string[], totals: { categories: number, terms: number }, changes: { added: number, changed: number, removed: number } }} NewestVersion
 * @typedef {{ id: string, displayName?: string, description?: string, newest?: NewestVersion }} ListedTenant
 * @typedef {{ type: string, scheme?: string, id: string | number }} Relation
 * @typedef {{ definition?: string, scopeNote?: string }} Notes
 * @typedef {{ culture: string, name: string, path?: string, altNames?: string[], notes?: Notes }} NameIn
 * @typedef {{ reason?: string, since?: string }} Deprecation
 * @typedef {{ release?: string, author?: string, reason?: string }} Provenance
 * @typedef {{ before: string, after: string }} CultureChange
 *
 * @typedef {object} Head
 * @property {string} tenant
 * @property {number} version
 * @property {string} committedAt
 * @property {Provenance} [provenance]
 * @property {string} defaultCulture
 * @property {string[]} fallbackChain
 * @property {string[]} cultures
 * @property {{ categories: number, terms: number }} totals
 *
 * @typedef {object} Details What terms and categories have alike.
 * @property {number} id
 * @property {string} name
 * @property {string} culture
 * @property {string} [path]
 * @property {string} [notation]
 * @property {string[]} altNames
 * @property {Notes} [notes]
 * @property {string} [sortKey]
 * @property {Record<string, unknown>} metadata
 * @property {boolean} deprecated
 * @property {Deprecation} [deprecation]
 * @property {number[]} replacedBy
 * @property {Relation[]} relations
 * @property {boolean} removed
 *
 * @typedef {{ id: number, name: string, culture: string, notation?: string, deprecated: boolean }} Sibling
 * @typedef {{ position?: number, siblings?: number, previous?: Sibling, next?: Sibling, childCount: number, descendantCount: number }} TreePlace
 *
 * @typedef {Details & { finalName: string, category: Named, depth: number, ancestors: Named[], place?: TreePlace }} Term
 * @typedef {Details & { place?: TreePlace }} Category
 *
 * @typedef {Named & { notation?: string, names?: NameIn[], deprecated: boolean, childCount: number, descendantCount: number }} Listed
 * @typedef {{ name: string, culture: string, kind: "name" | "altName" | "notation" | "id", class: string, ranges: [number, number][] }} Matched
 * @typedef {Named & { kind: "category" | "term", category?: number, notation?: string, deprecated: boolean, matched: Matched }} Suggestion
 * @typedef {{ items: Suggestion[], total: number, totalIsMinimum: boolean, truncated: boolean, nextCursor?: string, nothingFound?: NothingFound, counts?: FacetTotals }} Suggestions
 * @typedef {{ kinds: { category: number, term: number }, categories: { id: number, name: string, culture: string, total: number }[], furtherCategories: number, depths: number[], states: { exclude: number, only: number }, missing: { culture: string, total: number }[] }} FacetTotals
 * @typedef {{ cultures: string[], inAnyState: number, unfiltered: number, otherCultures: { culture: string, total: number }[], removed: { kind: string, id: number, name: string, removedIn: number }[] }} NothingFound
 *
 * @typedef {{ terms: number, leaves: number, deprecated: number, depths: number[], names: Record<string, number> }} Counts
 * @typedef {{ added: number, changed: number, removed: number, renamed: number, moved: number, deprecated: number, restored: number, finalNames: number }} Changes
 * @typedef {Changes & { month: string, version: number, versions: number }} Month
 * @typedef {{ version: number, changedAt: string, categories: number, counts: Counts, months?: Month[] }} Stats
 * @typedef {{ version: number, committedAt: string, cause: string, rolledBackTo?: number, provenance?: Provenance, totals: { categories: number, terms: number }, changes: Changes }} Version
 *
 * @typedef {{ id: number, name: string, culture: string }} Above
 * @typedef {{ category: Above, ancestors: Above[] }} Place What is above a term, the nearest first.
 *
 * @typedef {object} NodeState A term or a category before or after a change.
 * @property {string} name
 * @property {string} culture
 * @property {string} [finalName]
 * @property {string} [path]
 * @property {number} [category]
 * @property {number} [parent]
 * @property {Place} [place]
 * @property {string} [notation]
 * @property {boolean} deprecated
 * @property {number[]} [replacedBy]
 * @property {boolean} [removed]
 *
 * @typedef {{ operations: string[], fields?: string[], before?: NodeState, after?: NodeState }} Change
 * @typedef {{ kind: "term" | "category", id: number }} NodeId
 * @typedef {Change & NodeId & { follows?: NodeId }} ChangedNode
 * @typedef {Change & { version: number, committedAt: string, provenance?: Provenance }} Entry
 * @typedef {Above & { items: number, following: number, operations: Record<string, number> }} CategoryChanges
 * @typedef {{ added: number, changed: number, removed: number, finalNameOnly: number }} TermChanges
 * @typedef {{ categories: number, terms: number, operations?: Record<string, number>, ofTerms?: TermChanges, byCategory?: CategoryChanges[], atMost?: boolean }} ChangeTotals
 * @typedef {{ from: number, to: number, defaultCulture?: CultureChange, totals?: ChangeTotals, items: ChangedNode[], nextCursor?: string }} Difference
 * @typedef {{ version: number, format: string, status: "ready" | "pending", url?: string, expiresAt?: string, fileName?: string, bytes?: number }} Download
 */

/**
 * @template T
 * @typedef {{ items: T[], nextCursor?: string }} Page
 */

/** @typedef {{ id: number, status: number, term?: Term }} Batched */

export {};
