//! Statements in Turtle.

use std::io::{self, BufWriter, Write};

use oxrdf::{LiteralRef, NamedNode, NamedNodeRef, TermRef, TripleRef};
use oxttl::TurtleSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use taxonomy_keys::Culture;

use crate::BUFFER;

/// Statements about one subject after the other.
pub(super) struct Turtle<W: Write> {
    inner: WriterTurtleSerializer<BufWriter<W>>,
    subject: NamedNode,
}

impl<W: Write> Turtle<W> {
    /// Begins with the statements about a subject.
    pub(super) fn new(prefixes: &[(&str, String)], subject: NamedNode, out: W) -> io::Result<Self> {
        let mut serializer = TurtleSerializer::new();
        for (name, iri) in prefixes {
            serializer = serializer.with_prefix(*name, iri).map_err(io::Error::other)?;
        }
        let out = BufWriter::with_capacity(BUFFER, out);
        Ok(Self {
            inner: serializer.for_writer(out),
            subject,
        })
    }

    /// The next statements are about another subject.
    pub(super) fn begin(&mut self, subject: NamedNode) {
        self.subject = subject;
    }

    pub(super) fn put<'a>(
        &mut self,
        predicate: NamedNodeRef<'_>,
        object: impl Into<TermRef<'a>>,
    ) -> io::Result<()> {
        let triple = TripleRef::new(&self.subject, predicate, object.into());
        self.inner.serialize_triple(triple)
    }

    /// A text in a language.
    pub(super) fn label(
        &mut self,
        predicate: NamedNodeRef<'_>,
        text: &str,
        culture: &Culture,
    ) -> io::Result<()> {
        // A culture is a well-formed tag.
        let literal = LiteralRef::new_language_tagged_literal_unchecked(text, culture.as_str());
        self.put(predicate, literal)
    }

    pub(super) fn text(&mut self, predicate: NamedNodeRef<'_>, text: &str) -> io::Result<()> {
        self.put(predicate, LiteralRef::new_simple_literal(text))
    }

    pub(super) fn typed(
        &mut self,
        predicate: NamedNodeRef<'_>,
        text: &str,
        datatype: NamedNodeRef<'_>,
    ) -> io::Result<()> {
        self.put(predicate, LiteralRef::new_typed_literal(text, datatype))
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.inner.finish()?.flush()
    }
}
