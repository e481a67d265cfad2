//! The input format (docs/decisions/0003-input-file.md, docs/taxonomy.schema.json) with every field of a version, categories and terms
//! in sibling order, each on a line of its own.
//!
//! Parsed with the settings of the version, the bytes give its state hash again.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use taxonomy_model::Term;

use crate::BUFFER;
use crate::fields::{DetailFields, NameFields, names};
use crate::tree::{SortedTaxonomy, TreeNode};

/// Writes a version as a file that can be pushed.
///
/// # Errors
/// An I/O error of `out`.
pub fn write(tree: &SortedTaxonomy<'_>, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    out.write_all(br#"{"defaultCulture":"#)?;
    serde_json::to_writer(&mut out, &tree.taxonomy().settings().default_culture)?;
    out.write_all(br#","categories":["#)?;
    for (position, category) in tree.categories().iter().enumerate() {
        write_node(tree, TreeNode::Category(*category), position, &mut out)?;
    }
    out.write_all(b"]}\n")?;
    out.flush()
}

/// A node without what lies below it.
#[derive(Serialize)]
struct NodeHead<'a> {
    id: u64,
    names: Vec<NameFields<'a>>,
    #[serde(flatten)]
    details: DetailFields<'a>,
}

/// Calls itself for each level; a term lies at most 32 deep.
fn write_node<'a>(
    tree: &SortedTaxonomy<'a>,
    node: TreeNode<'a>,
    position: usize,
    out: &mut BufWriter<impl Write>,
) -> io::Result<()> {
    out.write_all(if position > 0 { b",\n" } else { b"\n" })?;
    let head = NodeHead {
        id: node.id(),
        names: names(node.node()),
        details: DetailFields::new(node.node().details()),
    };
    let head = serde_json::to_vec(&head)?;
    let below: &[Term<'a>] = tree.below(node);
    if below.is_empty() {
        return out.write_all(&head);
    }
    // The object is closed behind its list.
    out.write_all(head.strip_suffix(b"}").unwrap_or(&head))?;
    out.write_all(match node {
        TreeNode::Category(_) => br#","terms":["#,
        TreeNode::Term(_) => br#","children":["#,
    })?;
    for (position, term) in below.iter().enumerate() {
        write_node(tree, TreeNode::Term(*term), position, out)?;
    }
    out.write_all(b"]}")
}
