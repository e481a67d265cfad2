//! The layouts: the items of a term in each of them.

use std::collections::BTreeMap;

use serde_json::json;
use taxonomy_keys::TenantId;
use taxonomy_model::attribute::{Attributes, Value};
use taxonomy_model::items;
use taxonomy_model::stored::final_name;
use taxonomy_model::{Category, Node, Taxonomy, Term};

use crate::article;

/// The attributes of an item that the index copied while it had the lists.
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

/// The same in our first layout.
const INDEXED_FIRST: [&str; 12] = [
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
pub(crate) struct Item {
    pub(crate) key: [String; 2],
    pub(crate) index: Option<[String; 2]>,
    pub(crate) attributes: Attributes,
}

pub(crate) type Table = BTreeMap<[String; 2], Item>;

/// A layout of the items of categories and terms.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) category: fn(&TenantId, Category<'_>) -> Item,
    pub(crate) items: fn(&TenantId, Term<'_>) -> Vec<Item>,
    /// Whether each item has `V`, the version that wrote it.
    pub(crate) has_versions: bool,
    /// The attributes that the index copies.
    pub(crate) indexed: &'static [&'static str],
    /// The least sort key of what is read for a term with its ancestors.
    pub(crate) with_ancestors: &'static str,
}

pub(crate) const LAYOUTS: [Layout; 6] = [
    Layout {
        name: "this layout",
        category: one_category,
        items: one_item,
        has_versions: true,
        indexed: &[],
        with_ancestors: "TERM",
    },
    Layout {
        name: "this layout, default culture alone",
        category: |tenant, category| without_names(one_category(tenant, category)),
        items: |tenant, term| one_item(tenant, term).into_iter().take(1).collect(),
        has_versions: true,
        indexed: &[],
        with_ancestors: "TERM",
    },
    Layout {
        name: "this layout, with the lists in the index",
        category: listed_category,
        items: listed_item,
        has_versions: true,
        indexed: &INDEXED,
        with_ancestors: "TERM",
    },
    Layout {
        name: "the article's: default culture alone, no listings",
        category: article::category,
        items: article::term,
        has_versions: false,
        indexed: &[],
        with_ancestors: "",
    },
    Layout {
        name: "our first layout: category and ancestors beside the term",
        category: listed_category,
        items: beside,
        has_versions: true,
        indexed: &INDEXED_FIRST,
        with_ancestors: "PARENT",
    },
    Layout {
        name: "all cultures of a term in one item",
        category: one_category,
        items: all_cultures_in_one,
        has_versions: true,
        indexed: &[],
        with_ancestors: "TERM",
    },
];

fn one_category(tenant: &TenantId, category: Category<'_>) -> Item {
    plain(items::of_category(tenant, category))
}

/// Without the names in other cultures.
fn without_names(mut item: Item) -> Item {
    item.attributes.remove("Names");
    item
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
        index: None,
        attributes,
    }
}

fn listed_category(tenant: &TenantId, category: Category<'_>) -> Item {
    let place = format!("{}\t{:016}", sibling_order(category.node), category.id());
    Item {
        index: Some([format!("CATEGORIES#{tenant}"), place]),
        ..one_category(tenant, category)
    }
}

/// With an entry below the parent, and what a list shows beside it.
fn listed_item(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let mut items = one_item(tenant, term);
    let default = term.node.default_name().culture;
    let list = match term.parent() {
        Some(parent) => format!("TERM#{}", parent.id()),
        None => format!("CATEGORY#{}", term.category().id()),
    };
    let place = format!("{}\t{:016}", sibling_order(term.node), term.id());
    items[0].index = Some([format!("CHILDREN#{tenant}#{list}"), place]);
    let names = term.node.names().filter(|name| name.culture != default);
    let names: Attributes = names
        .map(|name| (name.culture.to_string(), name.name.into()))
        .collect();
    if !names.is_empty() {
        items[0]
            .attributes
            .insert("Names".to_owned(), Value::Object(names));
    }
    if !term.is_leaf() {
        items[0].attributes.insert("HasChildren".to_owned(), true.into());
    }
    items
}

/// As it was first: names and whole paths in the lineage's items, the category's tree in the index.
fn beside(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    let category = term.category();
    let mut items: Vec<Item> = listed_item(tenant, term);
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
    items.push(listed(tenant, term, &lineage, &pk));
    items.extend(above(category.node.default_name().name, &lineage, &pk));
    items
}

/// A term's item in the listing of its category.
fn listed(tenant: &TenantId, term: Term<'_>, lineage: &[Term<'_>], pk: &str) -> Item {
    let category = term.category();
    let name = term.node.default_name().name;
    let category_name = category.node.default_name().name;
    let category_key = format!("CATEGORY#{tenant}#{}", category.id());
    let path = lineage
        .iter()
        .rev()
        .chain([&term])
        .map(|term| format!("{:016}", term.id().get()));
    Item {
        key: [pk.to_owned(), category_key.clone()],
        index: Some([category_key, path.collect::<Vec<String>>().join("#")]),
        attributes: attributes(json!({
            "EntityType": "TermCategory", "TermId": term.id().get(), "CategoryId": category.id().get(), "Name": name,
            "FinalName": format!("{category_name}:{name}"), "Depth": term.depth(),
        })),
    }
}

/// An item for each ancestor of a term.
fn above(category_name: &str, lineage: &[Term<'_>], pk: &str) -> Vec<Item> {
    let mut items = Vec::new();
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
            key: [pk.to_owned(), format!("PARENT#{distance:02}")],
            index: None,
            attributes: of,
        });
    }
    items
}

pub(crate) fn attributes(value: Value) -> Attributes {
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

/// Returns all items of a taxonomy.
pub(crate) fn table(taxonomy: &Taxonomy, layout: &Layout) -> Table {
    let tenant: TenantId = "823a8c46-8464-4ce6-ae2d-026540681db2".parse().unwrap();
    let categories = taxonomy
        .categories()
        .map(|category| (layout.category)(&tenant, category));
    let terms = taxonomy.terms().flat_map(|term| (layout.items)(&tenant, term));
    categories
        .chain(terms)
        .map(|item| (item.key.clone(), item))
        .collect()
}

/// The place of a node among its siblings, by its characters.
fn sibling_order(node: Node<'_>) -> String {
    let sort_key = node.details().sort_key.clone();
    sort_key.unwrap_or_else(|| node.default_name().name.to_lowercase())
}
