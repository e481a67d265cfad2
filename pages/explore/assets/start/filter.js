/** Which taxonomies a reader's words find on the start page. */

/**
 * Whether each word of a text is in the id, the name or the description; letters alike without their accents.
 * @param {import("../answers.js").ListedTenant} tenant
 * @param {string} wanted
 */
export function matches({ id, displayName = "", description = "" }, wanted) {
  const text = plain(`${id} ${displayName} ${description}`);
  return plain(wanted).split(/\s+/).every((word) => text.includes(word));
}

/** @param {string} text */
const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
