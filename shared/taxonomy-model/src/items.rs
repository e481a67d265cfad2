//! The items of a version: what the table holds of a category or a term, computed from the taxonomy alone.

use taxonomy_keys::{Culture, Distance, IndexKey, ItemKey, Order, TenantId, TermId};

use crate::attribute::{Attributes, Builder};
use crate::stored::{LineageEntry, StoredAncestor, StoredCategory, StoredTerm};
use crate::taxonomy::{Category, Node, Taxonomy, Term};

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
    let id = category.id();
    Item {
        key: ItemKey::Category {
            tenant: tenant.clone(),
            category: id,
        },
        index: Some(IndexKey::Categories {
            tenant: tenant.clone(),
            order: order(category.node),
            category: id,
        }),
        attributes: stored_category(category).attributes(),
    }
}

/// The items of a term: itself, its category, its ancestors, and each further culture in which it has a name.
#[must_use]
pub fn of_term(tenant: &TenantId, term: Term<'_>) -> Vec<Item> {
    let lineage: Vec<Term<'_>> = term.ancestors().collect();
    let default = term.node.default_name().culture;
    let mut items = vec![
        term_item(tenant, term, &lineage),
        category_of_term(tenant, term, &lineage),
    ];
    for (ancestor, distance) in lineage.iter().zip((1..).map_while(Distance::new)) {
        items.push(ancestor_item(tenant, term, *ancestor, distance));
    }
    for name in term.node.names().filter(|name| name.culture != default) {
        let key = ItemKey::TermCulture {
            tenant: tenant.clone(),
            term: term.id(),
            culture: name.culture.clone(),
        };
        let attributes = stored_term(term, &lineage, name.culture).attributes();
        items.push(Item {
            key,
            index: None,
            attributes,
        });
    }
    items
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
    let (id, tenant, order) = (term.id(), tenant.clone(), order(term.node));
    let index = match lineage.first() {
        Some(parent) => IndexKey::Children {
            tenant: tenant.clone(),
            parent: parent.id(),
            order,
            term: id,
        },
        None => IndexKey::TopTerms {
            tenant: tenant.clone(),
            category: term.category().id(),
            order,
            term: id,
        },
    };
    let stored = stored_term(term, lineage, term.node.default_name().culture);
    Item {
        key: ItemKey::Term { tenant, term: id },
        index: Some(index),
        attributes: stored.attributes(),
    }
}

fn category_of_term(tenant: &TenantId, term: Term<'_>, lineage: &[Term<'_>]) -> Item {
    let category = term.category();
    let path: Vec<TermId> = lineage
        .iter()
        .rev()
        .map(|ancestor| ancestor.id())
        .chain([term.id()])
        .collect();
    let name = term.node.default_name().name;
    let attributes = Builder::default()
        .number("TermId", term.id().get())
        .number("CategoryId", category.id().get())
        .text("Name", name)
        .text("FinalName", &final_name(category.node.default_name().name, name))
        .number("Depth", u64::from(term.depth()));
    Item {
        key: ItemKey::TermCategory {
            tenant: tenant.clone(),
            term: term.id(),
            category: category.id(),
        },
        index: Some(IndexKey::TermsOfCategory {
            tenant: tenant.clone(),
            category: category.id(),
            path,
        }),
        attributes: attributes.build(),
    }
}

fn ancestor_item(tenant: &TenantId, term: Term<'_>, ancestor: Term<'_>, distance: Distance) -> Item {
    let name = ancestor.node.default_name();
    let stored = StoredAncestor {
        id: ancestor.id(),
        name: name.name.to_owned(),
        final_name: final_name(term.category().node.default_name().name, name.name),
        path: name.path.map(str::to_owned),
    };
    Item {
        key: ItemKey::Ancestor {
            tenant: tenant.clone(),
            term: term.id(),
            distance,
        },
        index: None,
        attributes: stored.attributes(),
    }
}

/// A term's complete answer in `culture`, each part in the best culture it has.
fn stored_term(term: Term<'_>, lineage: &[Term<'_>], culture: &Culture) -> StoredTerm {
    let other = |found: &Culture| (found != culture).then(|| found.clone());
    let (category, name) = (term.category(), term.node.best_name(culture));
    let category_name = category.node.best_name(culture);
    let lineage = lineage.iter().map(|ancestor| {
        let name = ancestor.node.best_name(culture);
        LineageEntry {
            id: ancestor.id(),
            final_name: final_name(category_name.name, name.name),
            culture: other(name.culture),
        }
    });
    let alt_names = term.node.alt_names().iter().filter(|(tag, _)| tag == culture);
    StoredTerm {
        id: term.id(),
        category: category.id(),
        category_name: category_name.name.to_owned(),
        category_culture: other(category_name.culture),
        culture: culture.clone(),
        name: name.name.to_owned(),
        final_name: final_name(category_name.name, name.name),
        path: name.path.map(str::to_owned),
        depth: term.depth(),
        lineage: lineage.collect(),
        notation: term.node.notation().map(str::to_owned),
        alt_names: alt_names.map(|(_, name)| name.clone()).collect(),
        sort_key: term.node.sort_key().map(str::to_owned),
        metadata: term.node.metadata().map(str::to_owned),
        deprecated: term.node.deprecated(),
        replaced_by: term.node.replaced_by().to_vec(),
        removed: false,
    }
}

fn stored_category(category: Category<'_>) -> StoredCategory {
    let node = category.node;
    let default = node.default_name();
    let names = node.names().filter(|name| name.culture != default.culture);
    StoredCategory {
        id: category.id(),
        culture: default.culture.clone(),
        name: default.name.to_owned(),
        path: default.path.map(str::to_owned),
        names: names
            .map(|name| {
                (
                    name.culture.clone(),
                    name.name.to_owned(),
                    name.path.map(str::to_owned),
                )
            })
            .collect(),
        notation: node.notation().map(str::to_owned),
        alt_names: alt_names_by_culture(node.alt_names()),
        sort_key: node.sort_key().map(str::to_owned),
        metadata: node.metadata().map(str::to_owned),
        deprecated: node.deprecated(),
        replaced_by: node.replaced_by().to_vec(),
        removed: false,
    }
}

/// Alternative names, which ascend by culture, in one list a culture.
pub(crate) fn alt_names_by_culture(alt_names: &[(Culture, String)]) -> Vec<(Culture, Vec<String>)> {
    let mut lists: Vec<(Culture, Vec<String>)> = Vec::new();
    for (culture, name) in alt_names {
        match lists.last_mut() {
            Some((last, names)) if last == culture => names.push(name.clone()),
            _ => lists.push((culture.clone(), vec![name.clone()])),
        }
    }
    lists
}

fn final_name(category: &str, term: &str) -> String {
    format!("{category}:{term}")
}

fn order(node: Node<'_>) -> Order {
    match node.sort_key() {
        Some(sort_key) => Order::by_sort_key(sort_key),
        None => Order::by_name(node.default_name().name),
    }
}
