//! The items of a version: what the table holds of a category or a term, computed from the taxonomy alone.

use std::collections::BTreeMap;

use taxonomy_keys::{Culture, IndexKey, ItemKey, List, Order, Place, TenantId};

use crate::attribute::{self, Attributes};
use crate::stored::{LineageEntry, Listing, StoredCategory, StoredName, StoredPath, StoredTerm};
use crate::taxonomy::{Category, Name, Node, Taxonomy, Term};

/// The most bytes that the attributes of an item take, of the 409,600 that DynamoDB takes (developer guide, "Service, account, and
/// table quotas"). What is left is for keys, `EntityType`, `V` and the marks of a tombstone. The limits of the input file keep every
/// item of a term below it; a category is refused that would pass it.
pub const MAX_BYTES: usize = 390_000;

/// An item without its version: its key, where it is listed, its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub key: ItemKey,
    /// Where the index lists it.
    pub index: Option<IndexKey>,
    /// Everything else but `EntityType` and `V`.
    pub attributes: Attributes,
}

/// The one item of a category.
#[must_use]
pub fn of_category(tenant: &TenantId, category: Category<'_>) -> Item {
    let place = Place::of_category(order(category.node), category.id());
    let (key, index) = List::Categories.entry(tenant, &place);
    Item {
        key,
        index: Some(index),
        attributes: attribute::write(&stored_category(category)),
    }
}

/// The items of a term: itself in the default culture, and one for each further culture in which it has a name.
#[must_use]
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
        index: None,
        attributes: attribute::write(&stored_term(term, &lineage, name.culture)),
    });
    [term_item(tenant, term, &lineage)]
        .into_iter()
        .chain(further)
        .collect()
}

/// The item of a term itself.
pub(crate) fn term_item_of(tenant: &TenantId, term: Term<'_>) -> Item {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    term_item(tenant, term, &lineage)
}

/// What `taxonomy` has under the partition key of a category or a term.
#[must_use]
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

fn term_item(tenant: &TenantId, term: Term<'_>, lineage: &[Term<'_>]) -> Item {
    let list = match lineage.first() {
        Some(parent) => List::Children(parent.id()),
        None => List::TopTerms(term.category().id()),
    };
    let (key, index) = list.entry(tenant, &Place::of_term(order(term.node), term.id()));
    let default = term.node.default_name().culture;
    let mut attributes = attribute::write(&stored_term(term, lineage, default));
    attributes.append(&mut attribute::write(&listing(term)));
    Item {
        key,
        index: Some(index),
        attributes,
    }
}

/// A term's complete answer in `culture`, each part in the best culture it has.
fn stored_term(term: Term<'_>, lineage: &[Term<'_>], culture: &Culture) -> StoredTerm {
    let other = |found: &Culture| (found != culture).then(|| found.clone());
    let (node, category) = (term.node, term.category().node.best_name(culture));
    let name = node.best_name(culture);
    let above: Vec<Name<'_>> = lineage
        .iter()
        .map(|above| above.node.best_name(culture))
        .collect();
    // The path above each ancestor, and above the term itself at 0.
    let path_above = |level: usize| above.get(level).map_or(category.path, |above| above.path);
    let lineage = lineage
        .iter()
        .zip(&above)
        .zip(1..)
        .map(|((ancestor, name), level)| LineageEntry {
            id: ancestor.id(),
            name: name.name.to_owned(),
            path: name.path.map(|path| StoredPath::new(path, path_above(level))),
            culture: other(name.culture),
        });
    let alt_names = node.alt_names().iter().filter(|(tag, _)| tag == culture);
    StoredTerm {
        category_id: term.category().id(),
        category_path: category.path.map(str::to_owned),
        category_culture: other(category.culture),
        culture: culture.clone(),
        name: name.name.to_owned(),
        final_name: format!("{}:{}", category.name, name.name),
        path: name.path.map(|path| StoredPath::new(path, path_above(0))),
        lineage: lineage.collect(),
        notation: node.notation().map(str::to_owned),
        alt_names: alt_names.map(|(_, name)| name.clone()).collect(),
        sort_key: node.sort_key().map(str::to_owned),
        metadata: node.metadata().map(str::to_owned),
        deprecated: node.deprecated(),
        replaced_by: node.replaced_by().to_vec(),
        removed: false,
    }
}

fn listing(term: Term<'_>) -> Listing {
    let default = term.node.default_name().culture;
    let names = term.node.names().filter(|name| name.culture != default);
    Listing {
        names: names
            .map(|name| (name.culture.clone(), name.name.to_owned()))
            .collect(),
        has_children: !term.is_leaf(),
    }
}

fn stored_category(category: Category<'_>) -> StoredCategory {
    let node = category.node;
    let default = node.default_name();
    let names = node.names().filter(|name| name.culture != default.culture);
    let names = names.map(|name| {
        let stored = StoredName {
            name: name.name.to_owned(),
            path: name.path.map(str::to_owned),
        };
        (name.culture.clone(), stored)
    });
    StoredCategory {
        culture: default.culture.clone(),
        name: default.name.to_owned(),
        path: default.path.map(str::to_owned),
        names: names.collect(),
        notation: node.notation().map(str::to_owned),
        alt_names: alt_names_by_culture(node.alt_names()),
        sort_key: node.sort_key().map(str::to_owned),
        metadata: node.metadata().map(str::to_owned),
        deprecated: node.deprecated(),
        replaced_by: node.replaced_by().to_vec(),
        removed: false,
    }
}

/// Alternative names in one list a culture.
pub(crate) fn alt_names_by_culture(alt_names: &[(Culture, String)]) -> BTreeMap<Culture, Vec<String>> {
    let mut lists: BTreeMap<Culture, Vec<String>> = BTreeMap::new();
    for (culture, name) in alt_names {
        lists.entry(culture.clone()).or_default().push(name.clone());
    }
    lists
}

fn order(node: Node<'_>) -> Order {
    match node.sort_key() {
        Some(sort_key) => Order::by_sort_key(sort_key),
        None => Order::by_name(node.default_name().name),
    }
}
