//! What a taxonomy costs in the table, in this layout and in one with a single item per term.
//!
//! `cargo run --release -p taxonomy-model --example layout -- FILE...` prints a table in Markdown for each file: items, bytes
//! and write units of the first load and of three edits, and read units of the main access patterns. The outcome and what
//! follows from it: docs/decisions/0006-layout.md.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool that prints a table"
)]

use std::collections::BTreeMap;

use taxonomy_keys::{IndexKey, ItemKey, TenantId};
use taxonomy_model::attribute::{Attributes, Value, size};
use taxonomy_model::items::{self, Item};
use taxonomy_model::{Defaults, Fact, Limits, NodeId, Place, Taxonomy, Term, apply, parse};

/// What the index copies of an item (docs/decisions/0001-table.md).
const INDEXED: [&str; 10] = [
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

type Table = BTreeMap<(String, String), Item>;
type Layout = fn(&TenantId, Term<'_>) -> Vec<Item>;

fn main() {
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path).unwrap();
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        };
        let taxonomy = parse(&file, &defaults, Limits::default()).unwrap().taxonomy;
        let name = path
            .rsplit('/')
            .take(2)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join("/");
        println!(
            "\n**{name}**: {} terms, {} cultures\n",
            taxonomy.terms().len(),
            taxonomy.cultures().len()
        );
        println!("| | this layout | one item per term and culture | one item per term, all cultures |");
        println!("|---|---|---|---|");
        let layouts: [Layout; 3] = [items::of_term, embedded, all_cultures_in_one];
        row("items", layouts.map(|layout| table(&taxonomy, layout).len()));
        row(
            "bytes",
            layouts.map(|layout| table(&taxonomy, layout).values().map(item_size).sum()),
        );
        row(
            "write units, first load",
            layouts.map(|layout| writes(None, &taxonomy, layout)),
        );
        for (what, edited) in edits(&taxonomy) {
            row(
                &format!("write units, {what}"),
                layouts.map(|layout| writes(Some(&taxonomy), &edited, layout)),
            );
        }
        println!(
            "| read units, term with ancestors: mean, most | {} | {} | {} |",
            reads(&taxonomy, items::of_term, "P"),
            reads(&taxonomy, embedded, "T"),
            reads(&taxonomy, all_cultures_in_one, "T")
        );
        println!(
            "| read units, the term item alone: mean, most | {} | {} | {} |",
            reads(&taxonomy, items::of_term, "T"),
            reads(&taxonomy, embedded, "T"),
            reads(&taxonomy, all_cultures_in_one, "T")
        );
        listing("the categories", &taxonomy, layouts, |index| {
            matches!(index, IndexKey::Categories { .. }).then_some(0)
        });
        listing(
            "the children of the widest parent",
            &taxonomy,
            layouts,
            |index| match index {
                IndexKey::Children { parent, .. } => Some(parent.get()),
                _ => None,
            },
        );
        listing(
            "the largest category as a tree",
            &taxonomy,
            layouts,
            |index| match index {
                IndexKey::TermsOfCategory { category, .. } => Some(category.get()),
                _ => None,
            },
        );
    }
}

/// Units of the longest list of a kind, read to its end; a dash where a layout has no such list.
fn listing(what: &str, taxonomy: &Taxonomy, layouts: [Layout; 3], list: fn(&IndexKey) -> Option<u64>) {
    let units = layouts.map(|layout| {
        let mut bytes: BTreeMap<u64, usize> = BTreeMap::new();
        for item in table(taxonomy, layout).values() {
            if let Some((index, _)) = index_entry(item)
                && let Some(list) = list(index)
            {
                *bytes.entry(list).or_default() += index_bytes(item);
            }
        }
        let halves = bytes.values().max()?.div_ceil(4096);
        Some(format!("{}.{}", halves / 2, if halves % 2 == 1 { 5 } else { 0 }))
    });
    let [this, embedded, single] = units.map(|units| units.unwrap_or_else(|| "-".to_owned()));
    println!("| read units, {what} | {this} | {embedded} | {single} |");
}

fn row(what: &str, figures: [usize; 3]) {
    let [this, embedded, single] = figures.map(|figure| {
        let digits = figure.to_string();
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        groups.join(",")
    });
    println!("| {what} | {this} | {embedded} | {single} |");
}

/// Lineage inside, listed twice by the index; no category item, no ancestor items.
fn embedded(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let keep = |item: &Item| matches!(item.key, ItemKey::Term { .. } | ItemKey::TermCulture { .. });
    items::of_term(tenant, term).into_iter().filter(keep).collect()
}

/// The same with every culture in one item.
fn all_cultures_in_one(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let mut all = embedded(tenant, term);
    let mut cultures = Attributes::new();
    for item in all.drain(1..) {
        if let ItemKey::TermCulture { culture, .. } = &item.key {
            let mut own = item.attributes;
            // What does not depend on the culture stands once.
            for shared in [
                "TermId",
                "CategoryId",
                "Culture",
                "Depth",
                "Notation",
                "Metadata",
                "SortKey",
                "Deprecated",
                "ReplacedBy",
            ] {
                own.remove(shared);
            }
            cultures.insert(culture.to_string().into(), Value::Map(own));
        }
    }
    if !cultures.is_empty() {
        all[0].attributes.insert("Cultures".into(), Value::Map(cultures));
    }
    all
}

fn table(taxonomy: &Taxonomy, layout: Layout) -> Table {
    let tenant: TenantId = "823a8c46-8464-4ce6-ae2d-026540681db2".parse().unwrap();
    let categories = taxonomy
        .categories()
        .map(|category| items::of_category(&tenant, category));
    let items = categories.chain(taxonomy.terms().flat_map(|term| layout(&tenant, term)));
    items
        .map(|item| ((item.key.key().pk, item.key.key().sk), item))
        .collect()
}

fn item_size(item: &Item) -> usize {
    let key = item.key.key();
    let index = item
        .index
        .as_ref()
        .map_or(0, |index| 12 + index.key().pk.len() + index.key().sk.len());
    // PK, SK, EntityType and V with their names.
    4 + key.pk.len() + key.sk.len() + 10 + item.key.entity_type().len() + 3 + index + size(&item.attributes)
}

/// What the index holds of an item; nothing where it is not listed.
fn index_entry(item: &Item) -> Option<(&IndexKey, Attributes)> {
    let copied = item
        .attributes
        .iter()
        .filter(|(name, _)| INDEXED.contains(&name.as_ref()));
    Some((
        item.index.as_ref()?,
        copied
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    ))
}

fn index_bytes(item: &Item) -> usize {
    let key = item.key.key();
    index_entry(item).map_or(0, |(index, copied)| {
        let index = index.key();
        4 + key.pk.len() + key.sk.len() + 12 + index.pk.len() + index.sk.len() + 30 + size(&copied)
    })
}

fn index_units(item: &Item) -> usize {
    index_bytes(item).div_ceil(1024)
}

/// Write units between two versions: the larger of the old and the new item, and the index where its entry changed.
fn writes(old: Option<&Taxonomy>, new: &Taxonomy, layout: Layout) -> usize {
    let (old, new) = (
        old.map_or_else(Table::new, |old| table(old, layout)),
        table(new, layout),
    );
    let changed = new.iter().filter(|(key, item)| old.get(*key) != Some(item));
    let put: usize = changed
        .map(|(key, item)| {
            let before = old.get(key);
            let units = item_size(item).max(before.map_or(0, item_size)).div_ceil(1024);
            let index = match before {
                None => index_units(item),
                Some(before) if before.index != item.index => index_units(before) + index_units(item),
                // V is projected too, so every write of a listed item writes its entry.
                Some(_) => index_units(item),
            };
            units + index
        })
        .sum();
    let removed = old.iter().filter(|(key, _)| !new.contains_key(*key));
    put + removed
        .map(|(_, item)| item_size(item).div_ceil(1024) + index_units(item))
        .sum::<usize>()
}

/// Mean and most of the units for the items of a term from sort key `from` on, eventually consistent.
fn reads(taxonomy: &Taxonomy, layout: Layout, from: &str) -> String {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for ((pk, sk), item) in table(taxonomy, layout) {
        if pk.starts_with("TERM#") && sk.as_str() >= from {
            *sizes.entry(pk).or_default() += item_size(&item);
        }
    }
    let units: Vec<usize> = sizes.values().map(|bytes| bytes.div_ceil(4096)).collect();
    let (sum, most) = (
        units.iter().sum::<usize>(),
        units.iter().max().copied().unwrap_or(0),
    );
    // Half units in hundredths, to stay with whole numbers.
    let mean = sum * 50 / units.len().max(1);
    format!(
        "{}.{:02}, {}.{}",
        mean / 100,
        mean % 100,
        most / 2,
        if most % 2 == 1 { 5 } else { 0 }
    )
}

/// A leaf renamed, the largest category renamed, a subtree moved under another top term of its category.
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
    let place = |parent: Term<'_>| Place {
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
