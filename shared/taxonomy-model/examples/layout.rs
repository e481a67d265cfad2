//! The cost of a taxonomy in the table: in this layout, in the one before it, and with all cultures of a term in one item.
//!
//! `cargo run --release -p taxonomy-model --example layout -- FILE...` prints a table in Markdown for each file: items, bytes
//! and write units of the first load and of three edits, and read units of the main access patterns. `deep` in the place of a file
//! stands for a made-up taxonomy of 18 levels. The outcome and what follows from it: docs/decisions/0006-layout.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool that prints a table"
)]

use std::collections::BTreeMap;

use serde_json::json;
use taxonomy_keys::{IndexKey, TenantId};
use taxonomy_model::attribute::{Attributes, Value, billed_size};
use taxonomy_model::items;
use taxonomy_model::stored::final_name;
use taxonomy_model::{Defaults, Fact, Limits, NodeId, Taxonomy, Term, TermPosition, apply, parse};

/// The attributes of an item that the index copies (docs/decisions/0001-table.md).
const INDEXED: [&str; 8] = [
    "EntityType",
    "Name",
    "Culture",
    "Names",
    "Path",
    "Notation",
    "Deprecated",
    "HasChildren",
];

/// The same before.
const INDEXED_BEFORE: [&str; 12] = [
    "EntityType",
    "V",
    "TermId",
    "CategoryId",
    "Name",
    "Culture",
    "FinalName",
    "Path",
    "Names",
    "Depth",
    "Notation",
    "Deprecated",
];

/// An item: partition and sort key, place in the index, attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    key: [String; 2],
    index: Option<[String; 2]>,
    attributes: Attributes,
}

type Table = BTreeMap<[String; 2], Item>;

/// A layout of the items of a term.
struct Layout {
    name: &'static str,
    items: fn(&TenantId, Term<'_>) -> Vec<Item>,
    /// The attributes that the index copies.
    indexed: &'static [&'static str],
    /// The least sort key of what is read for a term with its ancestors.
    with_ancestors: &'static str,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        name: "this layout",
        items: one_item,
        indexed: &INDEXED,
        with_ancestors: "TERM",
    },
    Layout {
        name: "before: category and ancestors beside the term",
        items: beside,
        indexed: &INDEXED_BEFORE,
        with_ancestors: "PARENT",
    },
    Layout {
        name: "all cultures of a term in one item",
        items: all_cultures_in_one,
        indexed: &INDEXED,
        with_ancestors: "TERM",
    },
];

fn main() {
    for path in std::env::args().skip(1) {
        let file = match path.as_str() {
            "deep" => deep().to_string().into_bytes(),
            path => std::fs::read(path).unwrap(),
        };
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        };
        let taxonomy = parse(&file, &defaults, Limits::default()).unwrap().taxonomy;
        let mut name: Vec<&str> = path.rsplit('/').take(2).collect();
        name.reverse();
        println!(
            "\n**{}**: {} terms, {} cultures, {} levels\n",
            name.join("/"),
            taxonomy.terms().len(),
            taxonomy.cultures().len(),
            taxonomy.terms().map(Term::depth).max().unwrap_or_default(),
        );
        println!(
            "| | {} |\n|---|---|---|---|",
            LAYOUTS.map(|layout| layout.name).join(" | ")
        );
        compare(&taxonomy);
    }
}

/// The number of terms on each level of the deep taxonomy: most of them half-way down, as in a WordNet.
const LEVELS: [usize; 18] = [
    2, 4, 20, 80, 300, 900, 2_000, 3_000, 3_200, 2_800, 2_200, 1_600, 1_000, 600, 300, 150, 60, 20,
];

/// One category of 18 levels in one culture; names of 15 characters, each path that of the parent and the name.
fn deep() -> Value {
    let mut below: Vec<Vec<Value>> = Vec::new();
    for (level, count) in LEVELS.into_iter().enumerate().rev() {
        let mut terms = Vec::new();
        for place in 0..count {
            let children = below.get_mut(place).map(std::mem::take).unwrap_or_default();
            let id = (level + 1) * 10_000 + place;
            let path = deep_path(level, place);
            let name = json!({"culture": "en-GB", "name": format!("Entity {id:08}"), "path": path});
            terms.push(json!({"id": id, "names": [name], "children": children}));
        }
        // The parent of a term is the one at its place, around the level above.
        let above = if level == 0 { 1 } else { LEVELS[level - 1] };
        below = vec![Vec::new(); above];
        for (place, term) in terms.into_iter().enumerate() {
            below[place % above].push(term);
        }
    }
    json!({"categories": [{"id": 1, "names": [{"culture": "en-GB", "name": "Thing"}], "terms": below.remove(0)}]})
}

fn deep_path(level: usize, place: usize) -> String {
    let above = match level {
        0 => String::new(),
        level => deep_path(level - 1, place % LEVELS[level - 1]),
    };
    format!("{above}/entity-{:08}", (level + 1) * 10_000 + place)
}

fn compare(taxonomy: &Taxonomy) {
    let tables = LAYOUTS.map(|layout| (table(taxonomy, &layout), layout));
    let each = |figure: &dyn Fn(&Table, &Layout) -> String| {
        tables.each_ref().map(|(table, layout)| figure(table, layout))
    };
    row("items", &each(&|table, _| grouped(table.len())));
    row(
        "bytes",
        &each(&|table, _| grouped(table.values().map(item_bytes).sum())),
    );
    row(
        "write units, first load",
        &each(&|table, layout| grouped(writes(&Table::new(), table, layout).0)),
    );
    for (what, edited) in edits(taxonomy) {
        let of = |before: &Table, layout: &Layout| {
            let (units, of_index) = writes(before, &table(&edited, layout), layout);
            format!("{}, {}", grouped(units), grouped(of_index))
        };
        row(&format!("write units, of these of the index: {what}"), &each(&of));
    }
    row(
        "read units, term with ancestors: mean; of how many terms 0.5, 1, 1.5 ...",
        &each(&|table, layout| reads(table, layout.with_ancestors)),
    );
    for (what, list) in [
        ("the categories", "CATEGORIES#"),
        ("the children of the widest parent", "CHILDREN#"),
    ] {
        row(
            &format!("read units, {what}"),
            &each(&|table, layout| listing(table, list, layout)),
        );
    }
}

fn row(what: &str, figures: &[String; 3]) {
    println!("| {what} | {} |", figures.join(" | "));
}

fn grouped(figure: usize) -> String {
    let digits = figure.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups.map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

fn half_units(halves: usize) -> String {
    format!("{}.{}", halves / 2, if halves % 2 == 1 { 5 } else { 0 })
}

/// As this build writes it.
fn one_item(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    items::of_term(tenant, term).into_iter().map(plain).collect()
}

fn plain(item: items::Item) -> Item {
    let key = item.key.key();
    let mut attributes = item.attributes;
    attributes.insert("EntityType".to_owned(), item.key.entity_type().into());
    Item {
        key: [key.pk, key.sk],
        index: item.index.as_ref().map(IndexKey::key).map(|key| [key.pk, key.sk]),
        attributes,
    }
}

/// As it was before: names and whole paths in the lineage's items, the category's tree in the index.
#[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
fn beside(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    let category = term.category();
    let mut items: Vec<Item> = one_item(tenant, term);
    let pk = items[0].key[0].clone();
    for item in &mut items {
        let of = &mut item.attributes;
        let culture = of["Culture"].as_str().unwrap().parse().unwrap();
        let category_name = category.node.best_name(&culture);
        for unknown in ["CategoryPath", "Names", "HasChildren"] {
            of.remove(unknown);
        }
        of.insert("TermId".to_owned(), term.id().get().into());
        of.insert("Depth".to_owned(), term.depth().into());
        of.insert("CategoryName".to_owned(), category_name.name.into());
        if let Some(path) = term.node.best_name(&culture).path {
            of.insert("Path".to_owned(), path.text().into());
        }
        if !lineage.is_empty() {
            let entries = lineage.iter().map(|above| {
                let name = above.node.best_name(&culture);
                let mut entry =
                    json!({"Id": above.id().get(), "FinalName": final_name(category_name.name, name.name)});
                if *name.culture != culture {
                    entry["Culture"] = name.culture.as_str().into();
                }
                entry
            });
            of.insert("Lineage".to_owned(), entries.collect());
        }
    }
    let name = term.node.default_name().name;
    let category_name = category.node.default_name().name;
    let category_key = format!("CATEGORY#{tenant}#{}", category.id());
    let path = lineage
        .iter()
        .rev()
        .chain([&term])
        .map(|term| format!("{:016}", term.id().get()));
    items.push(Item {
        key: [pk.clone(), category_key.clone()],
        index: Some([category_key, path.collect::<Vec<String>>().join("#")]),
        attributes: attributes(json!({
            "EntityType": "TermCategory", "TermId": term.id().get(), "CategoryId": category.id().get(), "Name": name,
            "FinalName": format!("{category_name}:{name}"), "Depth": term.depth(),
        })),
    });
    for (ancestor, distance) in lineage.iter().zip(1..) {
        let name = ancestor.node.default_name();
        let mut of = attributes(json!({
            "EntityType": "Ancestor", "TermId": ancestor.id().get(), "Name": name.name,
            "FinalName": format!("{category_name}:{}", name.name),
        }));
        if let Some(path) = name.path {
            of.insert("Path".to_owned(), path.text().into());
        }
        items.push(Item {
            key: [pk.clone(), format!("PARENT#{distance:02}")],
            index: None,
            attributes: of,
        });
    }
    items
}

fn attributes(value: Value) -> Attributes {
    match value {
        Value::Object(attributes) => attributes,
        _ => Attributes::new(),
    }
}

/// This layout with every culture in the term's one item.
fn all_cultures_in_one(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let mut all = one_item(tenant, term);
    let mut cultures = Attributes::new();
    for mut item in all.drain(1..) {
        // What does not depend on the culture stands once.
        for shared in [
            "EntityType",
            "CategoryId",
            "Culture",
            "Notation",
            "Metadata",
            "SortKey",
            "Deprecated",
            "ReplacedBy",
        ] {
            item.attributes.remove(shared);
        }
        let culture = item.key[1].trim_start_matches("CULTURE#").to_owned();
        cultures.insert(culture, Value::Object(item.attributes));
    }
    if !cultures.is_empty() {
        all[0]
            .attributes
            .insert("Cultures".to_owned(), Value::Object(cultures));
    }
    all
}

fn table(taxonomy: &Taxonomy, layout: &Layout) -> Table {
    let tenant: TenantId = "823a8c46-8464-4ce6-ae2d-026540681db2".parse().unwrap();
    let categories = taxonomy
        .categories()
        .map(|category| plain(items::of_category(&tenant, category)));
    let terms = taxonomy.terms().flat_map(|term| (layout.items)(&tenant, term));
    categories
        .chain(terms)
        .map(|item| (item.key.clone(), item))
        .collect()
}

fn bytes_of(names: [&str; 2], values: &[String; 2]) -> usize {
    names.iter().map(|name| name.len()).sum::<usize>() + values.iter().map(String::len).sum::<usize>()
}

/// With its keys and a version of one digit.
fn item_bytes(item: &Item) -> usize {
    let index = item
        .index
        .as_ref()
        .map_or(0, |index| bytes_of(["GSI1PK", "GSI1SK"], index));
    bytes_of(["PK", "SK"], &item.key) + index + "V".len() + 2 + billed_size(&item.attributes)
}

/// Returns the entry of an item in the index; none if it is not listed.
fn entry(item: &Item, layout: &Layout) -> Option<([String; 2], Attributes)> {
    let copied = item
        .attributes
        .iter()
        .filter(|(name, _)| layout.indexed.contains(&name.as_str()));
    let copied = copied.map(|(name, value)| (name.clone(), value.clone()));
    Some((item.index.clone()?, copied.collect()))
}

fn entry_bytes(item: &Item, layout: &Layout) -> usize {
    let version = if layout.indexed.contains(&"V") { 3 } else { 0 };
    entry(item, layout).map_or(0, |(index, copied)| {
        bytes_of(["PK", "SK"], &item.key)
            + bytes_of(["GSI1PK", "GSI1SK"], &index)
            + version
            + billed_size(&copied)
    })
}

/// Write units between two versions, and those of the index among them: the larger of the old and the new item, and the entry in the index
/// where it changed.
fn writes(old: &Table, new: &Table, layout: &Layout) -> (usize, usize) {
    let units = |bytes: usize| bytes.div_ceil(1024);
    let (mut all, mut of_index) = (0, 0);
    let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    for key in keys {
        let (before, after) = (old.get(key), new.get(key));
        if before == after {
            continue;
        }
        let sides = [before, after].into_iter().flatten();
        all += units(sides.clone().map(item_bytes).max().unwrap_or_default());
        let entries = [before, after].map(|item| item.and_then(|item| entry(item, layout)));
        // The version is an attribute too: where the index copies it, every write of a listed item writes its entry.
        if entries[0] == entries[1] && !layout.indexed.contains(&"V") {
            continue;
        }
        let places = entries
            .each_ref()
            .map(|entry| entry.as_ref().map(|(place, _)| place));
        let bytes = sides.map(|item| units(entry_bytes(item, layout)));
        of_index += if places[0] == places[1] {
            bytes.max().unwrap_or_default()
        } else {
            // An entry that moves is removed and put.
            bytes.sum()
        };
    }
    (all + of_index, of_index)
}

/// Units for the items of a term from a sort key on, eventually consistent: the mean, and how many terms take how many half units.
fn reads(table: &Table, from: &str) -> String {
    let mut bytes: BTreeMap<&String, usize> = BTreeMap::new();
    for ([pk, sk], item) in table {
        if pk.starts_with("TERM#") && sk.as_str() >= from {
            *bytes.entry(pk).or_default() += item_bytes(item);
        }
    }
    let mut terms_by_halves: BTreeMap<usize, usize> = BTreeMap::new();
    for bytes in bytes.values() {
        *terms_by_halves.entry(bytes.div_ceil(4096)).or_default() += 1;
    }
    let halves: usize = terms_by_halves.iter().map(|(halves, terms)| halves * terms).sum();
    // In hundredths, to stay with whole numbers.
    let mean = halves * 50 / bytes.len().max(1);
    let most = terms_by_halves.keys().max().copied().unwrap_or_default();
    let terms = (1..=most).map(|halves| grouped(terms_by_halves.get(&halves).copied().unwrap_or_default()));
    format!(
        "{}.{:02}; {}",
        mean / 100,
        mean % 100,
        terms.collect::<Vec<_>>().join(", ")
    )
}

/// Units of the longest list of a kind, read to its end.
fn listing(table: &Table, list: &str, layout: &Layout) -> String {
    let mut bytes: BTreeMap<&String, usize> = BTreeMap::new();
    for item in table.values() {
        if let Some([place, _]) = item.index.as_ref().filter(|[place, _]| place.starts_with(list)) {
            *bytes.entry(place).or_default() += entry_bytes(item, layout);
        }
    }
    half_units(bytes.values().max().map_or(0, |bytes| bytes.div_ceil(4096)))
}

/// A leaf renamed, the largest category renamed, a subtree moved under another top term of its category.
#[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
fn edits(taxonomy: &Taxonomy) -> Vec<(String, Taxonomy)> {
    let culture = taxonomy.settings().default_culture.to_string();
    let rename = |node| Fact::Renamed {
        node,
        culture: culture.clone(),
        from: None,
        to: Some("Renamed".to_owned()),
    };
    let leaf = taxonomy
        .terms()
        .filter(|term| term.is_leaf())
        .max_by_key(|term| term.depth())
        .unwrap();
    let mut terms_of: BTreeMap<u64, usize> = BTreeMap::new();
    for term in taxonomy.terms() {
        *terms_of.entry(term.category().id().get()).or_default() += 1;
    }
    let (&category, &largest) = terms_of.iter().max_by_key(|(_, count)| **count).unwrap();
    let top = |term: &Term<'_>| term.parent().is_none();
    let below = |root: &Term<'_>| {
        taxonomy
            .terms()
            .filter(|term| term.ancestors().any(|above| above.id() == root.id()))
            .count()
    };
    // Among the second levels of the largest category, the one with the most terms; searched in a sample, as each look is long.
    let second = taxonomy
        .terms()
        .filter(|term| term.depth() == 2 && term.category().id().get() == category)
        .take(60);
    let moved = second.max_by_key(below).unwrap();
    let parent = moved.parent().unwrap();
    let target = taxonomy
        .terms()
        .find(|term| top(term) && term.category().id() == moved.category().id() && term.id() != parent.id())
        .unwrap();
    let place = |parent: Term<'_>| TermPosition {
        category,
        parent: Some(parent.id().get()),
    };
    let subtree = below(&moved) + 1;
    let facts = [
        (
            format!("a leaf of depth {} renamed", leaf.depth()),
            rename(NodeId::Term(leaf.id().get())),
        ),
        (
            format!("a category of {largest} terms renamed"),
            rename(NodeId::Category(category)),
        ),
        (
            format!("a subtree of {subtree} terms moved"),
            Fact::TermMoved {
                id: moved.id().get(),
                from: place(parent),
                to: place(target),
            },
        ),
    ];
    facts
        .into_iter()
        .map(|(what, fact)| (what, apply(Some(taxonomy), &[fact]).unwrap()))
        .collect()
}
