//! The items of a version: what the table holds of a category or a term, computed from the taxonomy alone.

use std::borrow::Cow;

use taxonomy_keys::{Culture, IndexKey, ItemKey, List, Place, TenantId};

use crate::attribute::{self, Attributes};
use crate::siblings::order;
use crate::stored::{LineageEntry, Listing, StoredCategory, StoredName, StoredPath, StoredTerm};
use crate::taxonomy::{Category, Name, Taxonomy, Term};
use crate::tree::Path;

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
        // Every node has a name in the default culture.
        attributes: stored_category(category)
            .map_or_else(Attributes::new, |stored| attribute::write(&stored)),
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
    // The path of each ancestor, and of the category behind them; the one above the term comes first.
    let category_path = category.path.map(Path::text);
    let paths: Vec<Option<Cow<'_, str>>> = above
        .iter()
        .map(|above| above.path.map(Path::text))
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
        final_name: format!("{}:{}", category.name, name.name),
        path: name.path.map(|path| below(&path.text(), 0)),
        lineage: lineage.collect(),
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

fn stored_category(category: Category<'_>) -> Option<StoredCategory> {
    let node = category.node;
    let names = node.names().map(|name| {
        let stored = StoredName {
            name: name.name.to_owned(),
            path: name.path.map(|path| path.text().into_owned()),
        };
        (name.culture.clone(), stored)
    });
    StoredCategory::new(node.default_name().culture, names.collect(), node.details())
}
