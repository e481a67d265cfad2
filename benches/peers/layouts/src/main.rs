//! The cost of a taxonomy in the table: in the layout of the service, in all cultures and in one; in that of the article that the service
//! grew from; in our first layout; and with all cultures of a term in one item.
//!
//! ```text
//! layouts FILE...          prints a table in Markdown for each file: items, bytes, write units of the first load and of edits, read units
//! layouts --json FILE...   prints items and write units of the first load and of the edits
//! ```
//!
//! `deep` in the place of a file is a made-up taxonomy of 18 levels. The results, and the decision: docs/decisions/0006-layout.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool that prints a table"
)]

mod article;
mod deep;
mod edits;
mod layout;
mod reads;
mod units;

use serde_json::{Value, json};
use taxonomy_model::{Defaults, Limits, Taxonomy, Term, parse};

use layout::{LAYOUTS, Layout, Table, table};
use units::{Writes, item_bytes, writes};

fn main() {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|argument| argument.starts_with("--"));
    if options.iter().any(|option| option == "--json") {
        let files: Vec<Value> = files.iter().map(|path| figures(path, &read(path))).collect();
        println!("{}", json!({"files": files}));
        return;
    }
    for path in files {
        let taxonomy = read(&path);
        println!(
            "\n**{}**: {} terms, {} cultures, {} levels\n",
            name(&path),
            taxonomy.terms().len(),
            taxonomy.cultures().len(),
            taxonomy.terms().map(Term::depth).max().unwrap_or_default(),
        );
        println!(
            "| | {} |\n|---|{}",
            LAYOUTS.map(|layout| layout.name).join(" | "),
            "---|".repeat(LAYOUTS.len())
        );
        compare(&taxonomy);
    }
}

fn read(path: &str) -> Taxonomy {
    let file = match path {
        "deep" => deep::deep().to_string().into_bytes(),
        path => std::fs::read(path).unwrap(),
    };
    parsed(&file)
}

fn parsed(file: &[u8]) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    parse(file, &defaults, Limits::default()).unwrap().taxonomy
}

/// The last two parts of a path.
fn name(path: &str) -> String {
    let mut parts: Vec<&str> = path.rsplit('/').take(2).collect();
    parts.reverse();
    parts.join("/")
}

/// Returns items and write units of the first load and of each edit, by layout.
fn figures(path: &str, taxonomy: &Taxonomy) -> Value {
    let edits = edits::edits(taxonomy);
    let of_layout = |layout: Layout| {
        let before = table(taxonomy, &layout);
        let first = writes(&Table::new(), &before, &layout);
        let edits: Vec<Value> = edits
            .iter()
            .map(|edit| {
                let writes = writes(&before, &table(&edit.edited, &layout), &layout);
                json!({"edit": edit.kind, "what": edit.what, "items": writes.items, "units": writes.units,
                    "of_index": writes.of_index})
            })
            .collect();
        json!({"layout": layout.name, "items": first.items, "units": first.units, "of_index": first.of_index,
            "edits": edits})
    };
    let layouts: Vec<Value> = LAYOUTS.into_iter().map(of_layout).collect();
    json!({"file": name(path), "terms": taxonomy.terms().len(), "layouts": layouts})
}

fn compare(taxonomy: &Taxonomy) {
    let tables = LAYOUTS.map(|layout| (table(taxonomy, &layout), layout));
    let each = |figure: &dyn Fn(&Table, &Layout) -> String| {
        tables.each_ref().map(|(table, layout)| figure(table, layout))
    };
    row("items", &each(&|table, _| grouped(table.len())));
    row(
        "bytes",
        &each(&|table, layout| grouped(table.values().map(|item| item_bytes(item, layout)).sum())),
    );
    let units = |writes: Writes| format!("{}, {}", grouped(writes.units), grouped(writes.of_index));
    row(
        "write units, of these of the index: first load",
        &each(&|table, layout| units(writes(&Table::new(), table, layout))),
    );
    for edit in edits::edits(taxonomy) {
        let of =
            |before: &Table, layout: &Layout| units(writes(before, &table(&edit.edited, layout), layout));
        row(
            &format!("write units, of these of the index: {}", edit.what),
            &each(&of),
        );
    }
    row(
        "read units, term with ancestors: mean; of how many terms 0.5, 1, 1.5 ...",
        &each(&|table, layout| reads::reads(table, layout)),
    );
    for (what, list) in [
        ("the categories", "CATEGORIES#"),
        ("the children of the widest parent", "CHILDREN#"),
    ] {
        row(
            &format!("read units, {what}"),
            &each(&|table, layout| reads::listing(table, list, layout)),
        );
    }
}

fn row(what: &str, figures: &[String; LAYOUTS.len()]) {
    println!("| {what} | {} |", figures.join(" | "));
}
fn grouped(figure: usize) -> String {
    let digits = figure.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups.map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}
