//! Counts the content of a taxonomy that a format has no place for (docs/decisions/0020-downloads.md).

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use taxonomy_keys::Culture;
use taxonomy_model as model;

use crate::format::Format;
use crate::tree::{SortedTaxonomy, TreeNode};

/// A kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// A category without terms.
    EmptyCategory,
    /// A path, code, alternative name, deprecation or replacement of a category, or its name in a culture in which none of its terms has one.
    CategoryField,
    /// An alternative name in a culture in which the term has no name, of `history` every alternative name.
    AlternativeName,
    /// A path or code of a term.
    PathOrNotation,
    /// The definition and scope note in one culture.
    Note,
    /// A sort key.
    SortKey,
    /// The metadata of a node.
    Metadata,
    /// Reason and date of a deprecation.
    Deprecation,
    /// A replacement.
    Replacement,
    /// A relation.
    Relation,
}

impl Content {
    /// Its name, for one and for several.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::EmptyCategory => ("category without terms", "categories without terms"),
            Self::CategoryField => ("field of a category", "fields of categories"),
            Self::AlternativeName => ("alternative name", "alternative names"),
            Self::PathOrNotation => ("path or notation", "paths and notations"),
            Self::Note => ("note", "notes"),
            Self::SortKey => ("sort key", "sort keys"),
            Self::Metadata => ("metadata object", "metadata objects"),
            Self::Deprecation => (
                "reason or date of a deprecation",
                "reasons and dates of deprecations",
            ),
            Self::Replacement => ("replacement", "replacements"),
            Self::Relation => ("relation", "relations"),
        }
    }
}

/// A kind of omitted content, and its count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The kind.
    pub content: Content,
    /// The count; not 0.
    pub count: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several) = self.content.names();
        write!(
            f,
            "{} {}",
            self.count,
            if self.count == 1 { one } else { several }
        )
    }
}

/// Counts the content that a format has no place for, in the order of [`Content`]. JSON, NDJSON and SKOS hold every field.
pub fn losses(tree: &SortedTaxonomy<'_>, format: Format) -> Vec<Loss> {
    let is_history = match format {
        Format::Json | Format::Ndjson | Format::Skos => return Vec::new(),
        Format::Csv => false,
        Format::History => true,
    };
    let mut counts = BTreeMap::<Content, u64>::new();
    let mut add = |content, count: usize| {
        if count > 0 {
            *counts.entry(content).or_default() += count as u64;
        }
    };
    // The cultures in which the category is named, and no term of it that came before.
    let mut unnamed = HashSet::new();
    for node in tree.walk() {
        match node {
            TreeNode::Category(_) => {
                add(Content::CategoryField, unnamed.len());
                unnamed = named(tree, node);
                of_category(tree, node, &mut add);
            }
            TreeNode::Term(_) => {
                if !unnamed.is_empty() {
                    for name in node.node().names() {
                        unnamed.remove(name.culture);
                    }
                }
                of_term(node.node(), is_history, &mut add);
            }
        }
        of_node(node.node(), &mut add);
    }
    add(Content::CategoryField, unnamed.len());
    let losses = counts.into_iter();
    losses.map(|(content, count)| Loss { content, count }).collect()
}

/// The cultures of a category that has terms. One without them is lost as a whole.
fn named<'a>(tree: &SortedTaxonomy<'a>, category: TreeNode<'a>) -> HashSet<&'a Culture> {
    match tree.below(category) {
        [] => HashSet::new(),
        _ => category.node().names().map(|name| name.culture).collect(),
    }
}

fn of_category<'a>(tree: &SortedTaxonomy<'a>, node: TreeNode<'a>, add: &mut impl FnMut(Content, usize)) {
    add(Content::EmptyCategory, usize::from(tree.below(node).is_empty()));
    let details = node.node().details();
    let fields = paths(node.node())
        + usize::from(details.notation.is_some())
        + details.alt_names.len()
        + usize::from(details.deprecated)
        + details.replaced_by.len();
    add(Content::CategoryField, fields);
}

fn of_term(node: model::Node<'_>, is_history: bool, add: &mut impl FnMut(Content, usize)) {
    let details = node.details();
    // The history holds names and lineage alone.
    if is_history {
        add(Content::AlternativeName, details.alt_names.len());
        let codes = paths(node) + usize::from(details.notation.is_some());
        add(Content::PathOrNotation, codes);
        add(Content::Replacement, details.replaced_by.len());
        return;
    }
    let named: HashSet<&Culture> = node.names().map(|name| name.culture).collect();
    let unnamed = details.alt_names.iter();
    add(
        Content::AlternativeName,
        unnamed.filter(|(culture, _)| !named.contains(culture)).count(),
    );
}

fn of_node(node: model::Node<'_>, add: &mut impl FnMut(Content, usize)) {
    // Every field by name, so that a new one is not forgotten here. The others are counted by `of_category` and `of_term`.
    let model::Details {
        notation: _,
        alt_names: _,
        notes,
        sort_key,
        metadata,
        deprecated: _,
        deprecation,
        replaced_by: _,
        relations,
    } = node.details();
    add(Content::Note, notes.len());
    add(Content::SortKey, usize::from(sort_key.is_some()));
    add(Content::Metadata, usize::from(metadata.is_some()));
    add(Content::Deprecation, usize::from(deprecation.is_some()));
    add(Content::Relation, relations.len());
}

fn paths(node: model::Node<'_>) -> usize {
    node.names().filter(|name| name.path.is_some()).count()
}
