// Generated taxonomies for cases that no real one has: a node of 8,000 children, and names that look like something other than text.
// `node taxonomies.mjs FOLDER` writes them as files of the input format.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";

const EN = "en-GB";
export const CHILDREN = 8000;

/** Returns a category with one term of 8,000 children, whose numbers are in their names. */
export function wide() {
  const children = Array.from({ length: CHILDREN }, (_, at) => named(10_000 + at, `Part ${String(at + 1).padStart(4, "0")}`));
  return { defaultCulture: EN, categories: [{ id: 1, names: names("Parts"), terms: [{ ...named(2, "All parts"), children }, named(3, "Beside")] }] };
}

/** Names as an attacker or a faulty export may write them. Each is shown unchanged, but for those of `SHOWN`. */
export const HOSTILE = {
  markup: `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`,
  entity: "&lt;b&gt;bold&lt;/b&gt; &amp; &#x27;",
  template: "${document.title='owned'} {{7*7}} <%= 7*7 %>",
  override: "user\u202Etxt.exe\u202D",
  isolate: "\u2067unclosed isolate \u2066twice",
  arabic: "\u0627\u0644\u0628\u0631\u0645\u062C\u0629 (Programming)",
  long: "m".repeat(500),
  words: "Long name of many words that goes on and on. ".repeat(11).slice(0, 499).trim(),
  zeroWidth: "a\u200Bb\u200Cc\u200Dd\uFEFFe",
  combining: `Z${"\u0335\u0321\u0353".repeat(30)}algo`,
  emoji: "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} family",
  prototype: "__proto__",
};

/** How names are shown that hold what nobody sees. */
export const SHOWN = {
  override: "user\\u{202e}txt.exe\\u{202d}",
  isolate: "\\u{2067}unclosed isolate \\u{2066}twice",
  zeroWidth: "a\\u{200b}b\u200Cc\u200Dd\\u{feff}e",
};

/**
 * Returns a category of hostile terms, retired ones, relations, notes and metadata.
 * @param {1 | 2} release The second one retires `entity`, renames `arabic` and removes `emoji`.
 */
export function hostile(release) {
  const texts = Object.entries(HOSTILE);
  const terms = texts.flatMap(([key, text], at) => {
    if (release === 2 && key === "emoji") return [];
    return [{ ...named(100 + at, release === 2 && key === "arabic" ? `${text} 2` : text), sortKey: String(at).padStart(2, "0"), notation: key === "markup" ? "<b>1</b>" : undefined }];
  });
  const [first] = terms;
  Object.assign(first, {
    altNames: [{ culture: EN, name: "<u>another</u> name" }],
    notes: [{ culture: EN, definition: "<h1>not a heading</h1>\nsecond line", scopeNote: "javascript:alert(1)" }],
    metadata: { "<script>": "<img src=x>", "__proto__": { polluted: true }, url: "javascript:alert(1)" },
    relations: [
      { type: "exact", scheme: "<b>scheme</b>", id: "javascript:document.title='owned'" },
      { type: "close", scheme: "esco", id: "http://data.europa.eu/esco/occupation/00030d09" },
      { type: "related", id: 104 },
    ],
  });
  if (release === 2) Object.assign(terms[1], { deprecated: true, deprecation: { reason: "<i>Merged</i> into another", since: "2026-01-31" }, replacedBy: [100, 105] });
  return { defaultCulture: EN, categories: [{ id: 1, names: names("<b>Hostile</b> names"), terms }] };
}

/** Levels of the deep taxonomy. */
export const LEVELS = 18;

/** Returns a category with terms of many levels, each with its number in its name. */
export function deep() {
  const below = (level) => ({ ...named(level, `Level ${level}`), notation: `L${level}`, children: level < LEVELS ? [below(level + 1)] : [] });
  return { defaultCulture: EN, categories: [{ id: 1, names: names("Deep"), terms: [below(2)] }] };
}

/** @param {string} name */
function names(name) {
  return [{ culture: EN, name }];
}

/** @param {number} id @param {string} name */
function named(id, name) {
  return { id, names: names(name) };
}

if (argv[1]?.endsWith("taxonomies.mjs")) {
  const [folder = "."] = argv.slice(2);
  for (const [file, taxonomy] of Object.entries({ "wide-v1": wide(), "deep-v1": deep(), "hostile-v1": hostile(1), "hostile-v2": hostile(2) })) {
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(taxonomy));
  }
}
