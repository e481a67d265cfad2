//! The table of losses: each kind of object and item, lost or changed in each way; what lookups and uploads do meanwhile, what a verification says, what a
//! repair does, and what is left. `docs/losses.md` has the same table; `UPDATE_EXAMPLES=1` writes it.

mod harm;
mod outcome;

use harm::{Harm, KINDS};
use outcome::prepared;

/// What is expected where something of one of these kinds is harmed in one of these ways.
struct Row {
    kinds: &'static [&'static str],
    harms: &'static [Harm],
    cells: [&'static str; 5],
}

const fn row(kinds: &'static [&'static str], harms: &'static [Harm], cells: [&'static str; 5]) -> Row {
    Row { kinds, harms, cells }
}

use Harm::{Altered, Foreign, Future, Malformed, Missing};

const ITEMS: &[&str] = &["term", "culture of a term", "category"];
const NODES: &[&str] = &["term", "category"];
const FILES: &[&str] = &["index file", "search object"];
const BODIES: &[&str] = &["snapshot", "changeset"];
const STORED: &str = "right, or what is stored";
const WITHOUT: &str = "right, or without it";
const DAMAGED: &str = "right, or 503 `tenant-damaged`";
const UNREAD: &str = "right, or 503 `archive-unavailable`";
const UNCOUNTED: &str = "right, or 404 `stats-not-found`";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    row(BODIES, &[Missing], ["right", "published", "missing", "mended", "nothing"]),
    row(BODIES, &[Altered, Malformed], ["right", "published", "altered", "mended", "nothing"]),
    row(FILES, &[Missing], [UNREAD, "published", "missing", "mended", "nothing"]),
    row(FILES, &[Altered, Malformed], [UNREAD, "published", "altered", "mended", "nothing"]),
    row(&["snapshot", "changeset", "index file", "search object"], &[Foreign, Future], ["right", "published", "nothing", "nothing", "the object, which nothing reads"]),
    row(&["source object", "report", "download"], &[Missing, Altered, Malformed], ["right", "published", "nothing", "nothing", "the harm"]),
    row(&["head"], &[Missing], [DAMAGED, "published", "an error: the head is lost", "restored before it", "nothing"]),
    row(&["head"], &[Altered], [STORED, "published", "altered", "mended", "nothing"]),
    row(&["head"], &[Future, Malformed], [DAMAGED, "published", "an error that names it", "restored before it", "nothing"]),
    row(&["log entry"], &[Missing], [WITHOUT, "published", "missing", "mended", "nothing"]),
    row(&["log entry"], &[Altered], [STORED, "published", "altered", "mended", "nothing"]),
    row(&["log entry"], &[Foreign], ["right", "published", "foreign", "restored before it", "a void item"]),
    row(&["log entry"], &[Future], [DAMAGED, "published", "future", "mended", "nothing"]),
    row(&["log entry"], &[Malformed], [DAMAGED, "published", "malformed", "mended", "nothing"]),
    row(&["`TENANT` item"], &[Missing], [WITHOUT, "published", "missing", "restored before it", "other settings"]),
    row(&["`TENANT` item"], &[Altered], ["right", "published", "nothing", "nothing", "other settings"]),
    row(&["`TENANT` item"], &[Future], ["right", "published", "nothing", "nothing", "nothing"]),
    row(&["`TENANT` item"], &[Malformed], ["right", "published", "an error that names it", "restored before it", "other settings"]),
    row(ITEMS, &[Missing], ["right", "published; the item stays", "missing", "mended", "nothing"]),
    row(ITEMS, &[Altered], [STORED, "published; the item stays", "altered", "mended", "nothing"]),
    row(NODES, &[Foreign], [STORED, "published; the item stays", "foreign, by `--scan`", "mended", "a void item"]),
    row(&["culture of a term"], &[Foreign], ["right", "published; the item stays", "foreign", "mended", "a void item"]),
    row(ITEMS, &[Future], ["right", "published", "future", "mended", "nothing"]),
    row(ITEMS, &[Malformed], ["right", "published", "malformed", "mended", "nothing"]),
    row(&["tombstone"], &[Missing], ["right", "published", "missing", "mended", "nothing"]),
    row(&["tombstone"], &[Altered], [STORED, "published", "altered", "mended", "nothing"]),
    row(&["tombstone"], &[Foreign], [STORED, "published", "foreign, by `--scan`", "mended", "a void item"]),
    row(&["tombstone"], &[Future], ["right", "published", "future", "mended", "nothing"]),
    row(&["tombstone"], &[Malformed], ["right", "published", "malformed", "mended", "nothing"]),
    row(&["counts of a category"], &[Missing], [UNCOUNTED, "published", "missing", "mended", "nothing"]),
    row(&["counts of the tenant"], &[Missing], [UNCOUNTED, "published", "not counted", "restored before it", "nothing"]),
    row(&["month"], &[Missing], [WITHOUT, "published", "missing", "mended", "nothing"]),
    row(&["counts of a category", "counts of the tenant", "month"], &[Altered], [STORED, "published", "altered", "mended", "nothing"]),
    row(&["counts of a category", "month"], &[Foreign], [STORED, "published", "foreign", "mended", "zeros"]),
    row(&["counts of a category", "counts of the tenant", "month"], &[Future], [STORED, "published", "future", "mended", "nothing"]),
    row(&["counts of a category", "counts of the tenant", "month"], &[Malformed], [DAMAGED, "published", "malformed", "mended", "nothing"]),
    row(&["done marker"], &[Missing], ["right", "published", "missing", "mended", "nothing"]),
    row(&["done marker"], &[Altered], ["right", "published", "altered", "mended", "nothing"]),
    row(&["done marker"], &[Foreign], ["right", "published", "foreign", "mended", "a void item"]),
    row(&["done marker"], &[Future], ["right", "published", "future", "mended", "nothing"]),
    row(&["done marker"], &[Malformed], ["right", "published", "malformed", "mended", "nothing"]),
];

fn expected(kind: &str, harm: Harm) -> Option<[&'static str; 5]> {
    let found = TABLE
        .iter()
        .find(|row| row.kinds.contains(&kind) && row.harms.contains(&harm));
    found.map(|row| row.cells)
}

#[tokio::test]
async fn every_loss_is_met_as_the_table_says() {
    let before = prepared().await;
    let mut wrong = Vec::new();
    for kind in KINDS {
        for harm in Harm::ALL {
            let Some(measured) = outcome::measure(&before, kind, harm).await else {
                assert!(
                    expected(kind.name, harm).is_none(),
                    "{} {harm:?} is never met",
                    kind.name
                );
                continue;
            };
            if expected(kind.name, harm).is_none_or(|expected| measured != expected) {
                wrong.push(format!("{} {harm:?}: {measured:?}", kind.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the rows of the table as the page has them.
fn rendered() -> String {
    let mut lines = String::new();
    for row in TABLE {
        let harms: Vec<&str> = row.harms.iter().map(|harm| harm.name()).collect();
        let cells = [row.kinds.join(", "), harms.join(", "), row.cells.join(" | ")];
        lines.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    lines
}

#[test]
fn the_page_of_losses_has_this_table() {
    let path = format!("{}/../docs/losses.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once("|---|---|---|---|---|---|---|\n").unwrap();
    let rows = rest.lines().take_while(|line| line.starts_with('|'));
    let stored: String = rows.map(|line| format!("{line}\n")).collect();
    if taxonomy_tests::budget::variable("UPDATE_EXAMPLES").is_some() {
        let tail = rest.strip_prefix(&stored).unwrap();
        let page = format!("{head}|---|---|---|---|---|---|---|\n{}{tail}", rendered());
        return std::fs::write(path, page).unwrap();
    }
    assert_eq!(stored, rendered(), "UPDATE_EXAMPLES=1 writes it");
}
