//! The items of a version: the content of the table for each category and term, computed from the taxonomy alone.

pub mod attribute;
pub mod stored;
pub(crate) mod stored_path;
pub mod units;
pub mod writes;

use std::borrow::Cow;
use std::collections::BTreeMap;

use taxonomy_keys::{Culture, ItemKey, TenantId};

use crate::items::stored::{Lineage, LineageEntry, StoredCategory, StoredName, StoredPath, StoredTerm};
use crate::taxonomy::derived::final_name;
use crate::taxonomy::tree::NodePath;
use crate::taxonomy::{Category, Name, Node, Taxonomy, Term};
use attribute::Attributes;

/// The maximum number of bytes of the attributes of an item, out of the 409,600 of DynamoDB (developer guide, "Service, account, and
/// table quotas"). The rest is for keys, `EntityType`, `V` and the attributes of a tombstone. The limits of the input file keep every
/// item of a term below it; a category that would exceed it is refused.
pub const MAX_BYTES: usize = 390_000;

/// An item without its version: its key and its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The key in the table.
    pub key: ItemKey,
    /// All other attributes than `EntityType` and `V`.
    pub attributes: Attributes,
}

/// Returns the item of a category.
pub fn of_category(tenant: &TenantId, category: Category<'_>) -> Item {
    Item {
        key: ItemKey::Category {
            tenant: tenant.clone(),
            category: category.id(),
        },
        attributes: attribute::write(&stored_category(category)),
    }
}

/// Returns the items of a term: one in the default culture, and one for each further culture in which it has a name.
pub fn of_term(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    let default = term.node.default_name().culture;
    let further = term.node.names().filter(|name| name.culture != default);
    let further = further.map(|name| Item {
        key: ItemKey::TermCulture {
            tenant: tenant.clone(),
            term: term.id(),
            culture: name.culture.clone(),
        },
        attributes: attribute::write(&answer(term, &lineage, |node| node.best_name(name.culture))),
    });
    let own = Item {
        key: ItemKey::Term {
            tenant: tenant.clone(),
            term: term.id(),
        },
        attributes: attribute::write(&answer(term, &lineage, Node::default_name)),
    };
    [own].into_iter().chain(further).collect()
}

/// Returns the items of `taxonomy` under the partition key of a category or a term.
pub fn of_partition(tenant: &TenantId, taxonomy: &Taxonomy, pk: &str) -> Vec<Item> {
    match ItemKey::parse(pk, pk) {
        Ok(ItemKey::Category { category, .. }) => taxonomy
            .category(category)
            .map(|category| of_category(tenant, category))
            .into_iter()
            .collect(),
        Ok(ItemKey::Term { term, .. }) => taxonomy
            .term(term)
            .map_or_else(Vec::new, |term| of_term(tenant, term)),
        _ => Vec::new(),
    }
}

/// Returns the stored form of a term: it and each node above it in the first culture of `order` in which that node has a name, otherwise in the
/// default culture.
pub fn stored_term(term: Term<'_>, order: &[Culture]) -> StoredTerm {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    answer(term, &lineage, |node| node.name_by(order))
}

/// Returns the stored form of a term, with the name that `named` gives to it and to each node above it.
fn answer<'a>(term: Term<'a>, lineage: &[Term<'a>], named: impl Fn(Node<'a>) -> Name<'a>) -> StoredTerm {
    let (node, category) = (term.node, named(term.category().node));
    let name = named(node);
    let culture = name.culture;
    let other = |found: &Culture| (found != culture).then(|| found.clone());
    let above: Vec<Name<'_>> = lineage.iter().map(|above| named(above.node)).collect();
    // The path of each ancestor, and of the category last; the parent comes first.
    let category_path = category.path.map(NodePath::text);
    let paths: Vec<Option<Cow<'_, str>>> = above
        .iter()
        .map(|above| above.path.map(NodePath::text))
        .chain([category_path.clone()])
        .collect();
    let below = |path: &str, level: usize| StoredPath::new(path, paths[level].as_deref());
    let lineage = lineage.iter().zip(&above).enumerate();
    let lineage = lineage.map(|(level, (ancestor, name))| LineageEntry {
        id: ancestor.id(),
        name: name.name.to_owned(),
        path: paths[level].as_deref().map(|path| below(path, level + 1)),
        culture: other(name.culture),
    });
    let details = node.details();
    let alt_names = details.alt_names.iter().filter(|(tag, _)| tag == culture);
    StoredTerm {
        category_id: term.category().id(),
        category_path: category_path.map(Cow::into_owned),
        category_culture: other(category.culture),
        culture: culture.clone(),
        name: name.name.to_owned(),
        final_name: final_name(category.name, name.name),
        path: name.path.map(|path| below(&path.text(), 0)),
        lineage: Lineage(lineage.collect()),
        notation: details.notation.clone(),
        alt_names: alt_names.map(|(_, name)| name.clone()).collect(),
        notes: details.notes.get(culture).cloned(),
        sort_key: details.sort_key.clone(),
        metadata: details
            .metadata
            .as_ref()
            .map(|metadata| metadata.as_str().to_owned()),
        deprecated: details.deprecated,
        deprecation: details.deprecation.clone(),
        replaced_by: details.replaced_by.clone(),
        relations: details.relations.clone(),
        removed: false,
    }
}

/// Returns the stored form of a category, equal to its item.
pub fn stored_category(category: Category<'_>) -> StoredCategory {
    let node = category.node;
    let own = node.default_name();
    StoredCategory::new(
        own.culture,
        stored_name(own),
        other_names(category),
        node.details(),
    )
}

/// Returns the names and paths of a category in the cultures other than the default.
fn other_names(category: Category<'_>) -> BTreeMap<Culture, StoredName> {
    let default = category.node.default_name().culture;
    let names = category.node.names().filter(|name| name.culture != default);
    names
        .map(|name| (name.culture.clone(), stored_name(name)))
        .collect()
}

fn stored_name(name: Name<'_>) -> StoredName {
    StoredName {
        name: name.name.to_owned(),
        path: name.path.map(|path| path.text().into_owned()),
    }
}
