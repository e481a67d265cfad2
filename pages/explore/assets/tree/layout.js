/** How high the rows of the tree are, and where: a name that is longer than the pane is wide takes a second line. Heights are in rows. */

/** The height of a row of two lines. */
export const TWO_LINES = 1.625;
/** The height of a row in rem: `--row` of style.css. */
const ROW = 1.75;
/** Levels that are indented by a whole step; deeper ones by less, with their number, so that names keep some room. */
export const INDENTED = 8;

/**
 * The indentation of a level, in rem.
 * @param {number} depth 1 at the top.
 */
export const indent = (depth) => Math.min(depth, INDENTED) - 1 + Math.max(0, depth - INDENTED) * 0.375 + 0.25;

/**
 * The names of a node in the languages beside the shown one, in their order.
 * @param {import("./model.js").Node} node
 * @param {string[]} beside
 */
export const besides = ({ names = [] }, beside) => beside.flatMap((tag) => names.filter(({ culture }) => culture === tag));

/**
 * @typedef {import("./model.js").Row} Row
 * @typedef {(text: string, isBold: boolean) => number} Measure The width of a text in pixels.
 * @typedef {{ tops: number[], lines: number[], height: number }} Layout Of each row where it begins, and its lines; in rows.
 */

/**
 * @param {Row[]} rows
 * @param {{ width: number, row: number, selected: string | undefined, culture: string, beside: string[], measure: Measure }} pane `width` of the pane, `row` the height of a row; in pixels.
 * @returns {Layout}
 */
export function layout(rows, { width, row, selected, culture, beside, measure }) {
  const rem = row / ROW;
  const tops = [];
  const lines = [];
  let height = 0;
  for (const { depth, key, ...rest } of rows) {
    tops.push(height);
    let isLong = false;
    if (rest.kind === "node") {
      const { node } = rest;
      const badges = (node.culture !== culture ? 3.5 : 0) + (node.deprecated ? 5 : 0) + (depth > INDENTED ? 1.5 : 0);
      const room = width - (indent(depth) + 2.25 + badges) * rem;
      const words = [node.notation, node.name, ...besides(node, beside).map(({ name }) => name)].filter((word) => word !== undefined).join(" ");
      isLong = measure(words, node.kind === "category" || key === selected) > room;
    }
    lines.push(isLong ? 2 : 1);
    height += isLong ? TWO_LINES : 1;
  }
  return { tops, lines, height };
}

/**
 * The row at a height, by its index.
 * @param {Layout} layout
 * @param {number} at In rows.
 */
export function rowAt({ tops }, at) {
  let [low, high] = [0, tops.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** @returns {{ measure: Measure, font: (font: string) => void }} A measure that remembers, of the font that it was told. */
export function measures() {
  const context = document.createElement("canvas").getContext("2d");
  /** @type {Map<string, number>} */
  const known = new Map();
  let font = "";
  return {
    font(next) {
      if (next !== font) known.clear();
      font = next;
    },
    measure(text, isBold) {
      const key = `${isBold ? "b" : ""} ${text}`;
      let width = known.get(key);
      if (width === undefined) {
        if (context) context.font = isBold ? `600 ${font}` : font;
        width = context?.measureText(text).width ?? 0;
        known.set(key, width);
      }
      return width;
    },
  };
}
