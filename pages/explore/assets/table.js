/** Tables that leave the page: as CSV files and as cells to paste, for spreadsheets. */

/**
 * A cell that no spreadsheet takes for a formula: as the downloads for spreadsheets, with an apostrophe before it (`taxonomy-formats`).
 * @param {unknown} value
 */
function cell(value) {
  const text = value === undefined || value === null ? "" : String(value);
  return /^[=+\-@\t\r\n＝＋－＠']/.test(text) ? `'${text}` : text;
}

/** RFC 4180, with a byte order mark and CRLF, as spreadsheets read it. @param {unknown[][]} rows */
export function csv(rows) {
  const quoted = (/** @type {string} */ text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `\ufeff${rows.map((row) => `${row.map((value) => quoted(cell(value))).join()}\r\n`).join("")}`;
}

/** Cells with tabs between them; a line or a tab within a cell becomes a space. @param {unknown[][]} rows */
export const cells = (rows) => rows.map((row) => row.map((value) => cell(value).replaceAll(/[\t\r\n]+/g, " ")).join("\t")).join("\n");

/**
 * Saves a text as a file of the reader.
 * @param {string} name
 * @param {string} content
 */
export function save(name, content) {
  const address = URL.createObjectURL(new Blob([content], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
