//! A line for each category and term, in tree order: a JSON object that is complete in itself, so that a reader needs neither the lines
//! before it nor a stack. `docs/ndjson.schema.json` describes a line, member by member.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use taxonomy_model::Term;

use crate::BUFFER;
use crate::fields::{DetailFields, NameFields, names, names_of_term};
use crate::tree::{SortedTaxonomy, TreeNode};

/// Writes a line for each category, followed by those of its terms.
///
/// # Errors
/// An I/O error of `out`.
pub fn write(tree: &SortedTaxonomy<'_>, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    for node in tree.walk() {
        serde_json::to_writer(&mut out, &NdjsonLine::new(node))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// These names are published.
#[derive(Serialize)]
struct NdjsonLine<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: u64,
    #[serde(flatten)]
    place: Option<TermPlace>,
    names: Vec<NameFields<'a>>,
    #[serde(flatten)]
    details: DetailFields<'a>,
}

/// The position of a term.
#[derive(Serialize)]
struct TermPlace {
    category: u64,
    /// `null` for a top term.
    parent: Option<u64>,
    depth: u8,
    /// Nearest first.
    lineage: Vec<u64>,
}

impl<'a> NdjsonLine<'a> {
    fn new(node: TreeNode<'a>) -> Self {
        let (kind, place, names) = match node {
            TreeNode::Category(category) => ("category", None, names(category.node)),
            TreeNode::Term(term) => ("term", Some(TermPlace::new(term)), names_of_term(term)),
        };
        Self {
            kind,
            id: node.id(),
            place,
            names,
            details: DetailFields::new(node.node().details()),
        }
    }
}

impl TermPlace {
    fn new(term: Term<'_>) -> Self {
        let lineage: Vec<u64> = term.ancestors().map(|above| above.id().get()).collect();
        Self {
            category: term.category().id().get(),
            parent: lineage.first().copied(),
            depth: term.depth(),
            lineage,
        }
    }
}
