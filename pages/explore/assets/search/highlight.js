/** The parts of a name that match, by the ranges that the service names. */

/**
 * @param {string} name
 * @param {[number, number][]} ranges Start and end in UTF-16 code units, apart and ascending.
 * @returns {{ text: string, isMatch: boolean }[]} All of the name, in order.
 */
export function parts(name, ranges) {
  /** @type {{ text: string, isMatch: boolean }[]} */
  const found = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) found.push({ text: name.slice(at, start), isMatch: false });
    if (end > start) found.push({ text: name.slice(start, end), isMatch: true });
    at = Math.max(at, end);
  }
  if (at < name.length) found.push({ text: name.slice(at), isMatch: false });
  return found;
}
