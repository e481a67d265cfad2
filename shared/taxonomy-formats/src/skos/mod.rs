//! SKOS in Turtle: the taxonomy is a concept scheme, its categories are the top concepts, terms are the concepts below them.
//!
//! The SKOS statements satisfy the integrity conditions of the SKOS Reference (S13, S14, S27, S46, no cycle of `broader`). Content that SKOS
//! cannot express, or only in another form than the file, is written in a small vocabulary of our own, so that an import gives the same
//! content again: docs/decisions/0020-downloads.md lists it, docs/skos-shapes.ttl checks it.

mod concept;
mod hierarchy;
mod iris;
mod labels;
mod vocabulary;

use std::io::{self, BufWriter, Write};

use oxrdf::{LiteralRef, NamedNode, NamedNodeRef, TermRef, TripleRef};
use oxttl::TurtleSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use taxonomy_keys::{Culture, TenantId};

use crate::BUFFER;
use crate::tree::{Tree, TreeNode};
use hierarchy::Hierarchy;
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
pub fn write(tree: &Tree<'_>, options: &Options<'_>, out: impl Write) -> io::Result<LeftOut> {
    let iris = options.base.of_tenant(options.tenant);
    let mut hierarchy = Hierarchy::of(tree, &iris);
    let mut turtle = Turtle::new(&iris.prefixes(), out)?;
    write_scheme(tree, &iris, options, &mut turtle)?;
    for node in tree.walk() {
        concept::write(tree, node, &iris, &mut hierarchy, &mut turtle)?;
    }
    turtle.finish()?;
    Ok(hierarchy.left_out())
}

fn write_scheme(
    tree: &Tree<'_>,
    iris: &iris::Iris,
    options: &Options<'_>,
    turtle: &mut Turtle<impl Write>,
) -> io::Result<()> {
    let (scheme, default) = (iris.scheme(), &tree.taxonomy().settings().default_culture);
    let label = match options.label.trim() {
        "" => options.tenant.as_str(),
        label => label,
    };
    turtle.node(&scheme, vocabulary::TYPE, skos::CONCEPT_SCHEME)?;
    turtle.label(&scheme, skos::PREF_LABEL, label, default)?;
    turtle.label(&scheme, dct::TITLE, label, default)?;
    turtle.text(&scheme, tax::DEFAULT_CULTURE, default.as_str())?;
    for category in tree.categories() {
        turtle.node(
            &scheme,
            skos::HAS_TOP_CONCEPT,
            iris.of(TreeNode::Category(*category)).as_ref(),
        )?;
    }
    Ok(())
}

/// Statements about one subject after the other.
struct Turtle<W: Write> {
    inner: WriterTurtleSerializer<BufWriter<W>>,
}

impl<W: Write> Turtle<W> {
    fn new(prefixes: &[(&str, String)], out: W) -> io::Result<Self> {
        let mut serializer = TurtleSerializer::new();
        for (name, iri) in prefixes {
            serializer = serializer.with_prefix(*name, iri).map_err(io::Error::other)?;
        }
        let out = BufWriter::with_capacity(BUFFER, out);
        Ok(Self {
            inner: serializer.for_writer(out),
        })
    }

    fn put<'a>(
        &mut self,
        subject: &NamedNode,
        predicate: NamedNodeRef<'_>,
        object: impl Into<TermRef<'a>>,
    ) -> io::Result<()> {
        let triple = TripleRef::new(subject, predicate, object.into());
        self.inner.serialize_triple(triple)
    }

    fn node(
        &mut self,
        subject: &NamedNode,
        predicate: NamedNodeRef<'_>,
        object: NamedNodeRef<'_>,
    ) -> io::Result<()> {
        self.put(subject, predicate, object)
    }

    /// A text in a language.
    fn label(
        &mut self,
        subject: &NamedNode,
        predicate: NamedNodeRef<'_>,
        text: &str,
        culture: &Culture,
    ) -> io::Result<()> {
        // A culture is a well-formed tag.
        let literal = LiteralRef::new_language_tagged_literal_unchecked(text, culture.as_str());
        self.put(subject, predicate, literal)
    }

    fn text(&mut self, subject: &NamedNode, predicate: NamedNodeRef<'_>, text: &str) -> io::Result<()> {
        self.put(subject, predicate, LiteralRef::new_simple_literal(text))
    }

    fn typed(
        &mut self,
        subject: &NamedNode,
        predicate: NamedNodeRef<'_>,
        text: &str,
        datatype: NamedNodeRef<'_>,
    ) -> io::Result<()> {
        self.put(subject, predicate, LiteralRef::new_typed_literal(text, datatype))
    }

    fn finish(self) -> io::Result<()> {
        self.inner.finish()?.flush()
    }
}
