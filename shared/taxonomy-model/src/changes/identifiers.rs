//! Categories and terms that keep their id and become another concept of their source.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::changes::fact::NodeId;
use crate::changes::operations::name_of;
use crate::taxonomy::details::{RelatedId, RelationType};
use crate::taxonomy::{Node, Taxonomy};

/// An id whose `exact` identifier in a scheme changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedIdentifier {
    /// The category or term.
    pub node: NodeId,
    /// Its name, or FinalName, in the default culture of the new version.
    pub name: String,
    /// The scheme.
    pub scheme: String,
    /// The identifier before.
    pub from: String,
    /// The identifier after.
    pub to: String,
}

/// Returns the ids of which both versions have `exact` identifiers in a scheme, and none of them is the same: first categories, then terms, each
/// ascending.
pub fn changed_identifiers(old: &Taxonomy, new: &Taxonomy) -> Vec<ChangedIdentifier> {
    let categories = new.categories().filter_map(|category| {
        let before = old.category(category.id())?;
        Some((NodeId::Category(category.id().get()), before.node, category.node))
    });
    let terms = new.terms().filter_map(|term| {
        let before = old.term(term.id())?;
        Some((NodeId::Term(term.id().get()), before.node, term.node))
    });
    let mut found: Vec<ChangedIdentifier> = categories
        .chain(terms)
        .flat_map(|(node, before, after)| {
            let mut known = identifiers(before);
            let changed = identifiers(after).into_iter().filter_map(move |(scheme, now)| {
                let was = known.remove(scheme).filter(|was| was.is_disjoint(&now))?;
                Some((scheme, was.into_iter().next()?, now.into_iter().next()?))
            });
            changed.map(move |(scheme, from, to)| ChangedIdentifier {
                node,
                name: name_of(new, node),
                scheme: scheme.to_owned(),
                from: from.to_owned(),
                to: to.to_owned(),
            })
        })
        .collect();
    found.sort_by_key(|changed| changed.node);
    found
}

/// The `exact` identifiers of a node by scheme.
fn identifiers<'t>(node: Node<'t>) -> BTreeMap<&'t str, BTreeSet<&'t str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for relation in &node.details().relations {
        if let (RelationType::Exact, Some(scheme), RelatedId::Concept(id)) =
            (relation.kind, &relation.scheme, &relation.id)
        {
            found.entry(scheme).or_default().insert(id);
        }
    }
    found
}
