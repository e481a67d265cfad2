//! The edits that are compared.

use std::collections::BTreeMap;

use taxonomy_model::{Fact, NodeId, Taxonomy, Term, TermPosition, apply};

/// An edit, and the taxonomy after it.
pub(crate) struct Edit {
    /// Its name, the same for every taxonomy.
    pub(crate) kind: &'static str,
    /// Its extent.
    pub(crate) what: String,
    pub(crate) edited: Taxonomy,
}

/// Returns the edits: a leaf renamed, the largest category renamed, a subtree moved under another top term of its category, nothing changed.
///
/// # Panics
/// Panics if the taxonomy has too few terms for one of them.
pub(crate) fn edits(taxonomy: &Taxonomy) -> Vec<Edit> {
    let edit = |kind, what, facts: &[Fact]| Edit {
        kind,
        what,
        edited: apply(Some(taxonomy), facts).unwrap(),
    };
    let leaves = taxonomy.terms().filter(|term| term.is_leaf());
    let leaf = leaves.max_by_key(|term| term.depth()).unwrap();
    let (category, terms) = largest_category(taxonomy);
    let (moved, subtree) = moved_subtree(taxonomy, category);
    vec![
        edit(
            "leaf renamed",
            format!("a leaf of depth {} renamed", leaf.depth()),
            &[rename(taxonomy, NodeId::Term(leaf.id().get()))],
        ),
        edit(
            "category renamed",
            format!("a category of {terms} terms renamed"),
            &[rename(taxonomy, NodeId::Category(category))],
        ),
        edit(
            "subtree moved",
            format!("a subtree of {subtree} terms moved"),
            &[moved],
        ),
        edit("nothing changed", "nothing changed".to_owned(), &[]),
    ]
}

fn rename(taxonomy: &Taxonomy, node: NodeId) -> Fact {
    Fact::Renamed {
        node,
        culture: taxonomy.settings().default_culture.to_string(),
        from: None,
        to: Some("Renamed".to_owned()),
    }
}

/// Returns the id of the category with the most terms, and their number.
fn largest_category(taxonomy: &Taxonomy) -> (u64, usize) {
    let mut terms_of: BTreeMap<u64, usize> = BTreeMap::new();
    for term in taxonomy.terms() {
        *terms_of.entry(term.category().id().get()).or_default() += 1;
    }
    terms_of.into_iter().max_by_key(|(_, count)| *count).unwrap()
}

/// Returns the move of a subtree under another top term of its category, and the number of its terms.
fn moved_subtree(taxonomy: &Taxonomy, category: u64) -> (Fact, usize) {
    let below = |root: &Term<'_>| {
        let terms = taxonomy.terms();
        terms
            .filter(|term| term.ancestors().any(|above| above.id() == root.id()))
            .count()
    };
    // Among the second levels of the category, the one with the most terms; searched in a sample, as each look is long.
    let second = taxonomy
        .terms()
        .filter(|term| term.depth() == 2 && term.category().id().get() == category)
        .take(60);
    let moved = second.max_by_key(below).unwrap();
    let parent = moved.parent().unwrap();
    let mut others = taxonomy.terms().filter(|term| {
        term.parent().is_none() && term.category().id() == moved.category().id() && term.id() != parent.id()
    });
    let place = |parent: Term<'_>| TermPosition {
        category,
        parent: Some(parent.id().get()),
    };
    let fact = Fact::TermMoved {
        id: moved.id().get(),
        from: place(parent),
        to: place(others.next().unwrap()),
    };
    (fact, below(&moved) + 1)
}
