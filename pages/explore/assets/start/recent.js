/** The taxonomies that the reader opened last in this browser. */
const KEPT = "taxonomy-recent";
const MOST = 5;

/** @returns {string[]} The last one first. */
export function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    // A browser may keep nothing, and others may have written something else.
    return [];
  }
}

/** @param {string} tenant */
export function remember(tenant) {
  const next = [tenant, ...recent().filter((id) => id !== tenant)].slice(0, MOST);
  try {
    localStorage.setItem(KEPT, JSON.stringify(next));
  } catch {
    // The list is a convenience.
  }
}
