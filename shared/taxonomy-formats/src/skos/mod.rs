//! SKOS in Turtle: the taxonomy is a concept scheme, its categories are the top concepts, terms are the concepts below them.
//!
//! The SKOS statements satisfy the integrity conditions of the SKOS Reference (S13, S14, S27, S46, no cycle of `broader`). Content that SKOS
//! cannot express, or only in another form than the file, is written in a small vocabulary of our own, so that an import gives the same
//! content again: docs/decisions/0020-downloads.md lists it, docs/skos-shapes.ttl checks it.

mod concept;
mod hierarchy;
mod iris;
mod labels;
mod turtle;
mod vocabulary;

use std::io::{self, Write};

use taxonomy_keys::TenantId;

use crate::tree::SortedTaxonomy;
use concept::ConceptWriter;
use hierarchy::Hierarchy;
use turtle::Turtle;
use vocabulary::{dct, skos, tax};

pub use hierarchy::LeftOut;
pub use iris::{Base, InvalidBase};

/// The naming of the concepts.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The tenant, a part of every IRI.
    pub tenant: &'a TenantId,
    /// The beginning of every IRI.
    pub base: &'a Base,
    /// The label of the concept scheme, in the default culture; the tenant where it is empty.
    pub label: &'a str,
}

/// Writes a version, and returns the number of relations that the SKOS statements cannot express. Our own vocabulary contains them.
///
/// # Errors
/// An I/O error of `out`.
pub fn write(tree: &SortedTaxonomy<'_>, options: &Options<'_>, out: impl Write) -> io::Result<LeftOut> {
    let iris = options.base.of_tenant(options.tenant);
    let mut turtle = Turtle::new(&iris.prefixes(), iris.scheme(), out)?;
    write_scheme(tree, &iris, options, &mut turtle)?;
    let mut concepts = ConceptWriter {
        tree,
        iris: &iris,
        hierarchy: Hierarchy::new(tree, &iris),
        turtle,
    };
    for node in tree.walk() {
        concepts.write(node)?;
    }
    concepts.turtle.finish()?;
    Ok(concepts.hierarchy.left_out)
}

fn write_scheme(
    tree: &SortedTaxonomy<'_>,
    iris: &iris::Iris,
    options: &Options<'_>,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let default = &tree.taxonomy().settings().default_culture;
    let label = match options.label.trim() {
        "" => options.tenant.as_str(),
        label => label,
    };
    turtle.put(vocabulary::TYPE, skos::CONCEPT_SCHEME)?;
    turtle.label(skos::PREF_LABEL, label, default)?;
    turtle.label(dct::TITLE, label, default)?;
    turtle.text(tax::DEFAULT_CULTURE, default.as_str())?;
    for category in tree.categories() {
        let category = iris.category(category.id().get());
        turtle.put(skos::HAS_TOP_CONCEPT, &category)?;
    }
    Ok(())
}
