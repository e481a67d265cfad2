//! From triples to statements about concepts.

mod about;

use std::collections::HashSet;

use oxrdf::{NamedOrBlankNodeRef, TermRef};
use taxonomy_keys::Culture;

use super::defer::{self, waiting};
use super::iri::{encoded, is_absolute};
use super::vocabulary::{Class, LinkKind, Property, short};
use crate::concept::{ConceptRef, SourcePlace};
use crate::graph::{Graph, Stop};
use crate::report::Code;

/// The object of a triple.
#[derive(Debug, Clone, Copy)]
enum Object<'a> {
    Iri(&'a str),
    Blank(&'a str),
    Text(Option<&'a str>, &'a str),
}

impl<'a> From<TermRef<'a>> for Object<'a> {
    fn from(term: TermRef<'a>) -> Self {
        match term {
            TermRef::NamedNode(node) => Self::Iri(node.as_str()),
            TermRef::BlankNode(node) => Self::Blank(node.as_str()),
            TermRef::Literal(literal) => Self::Text(literal.language(), literal.value()),
        }
    }
}

/// The subject of the last triple.
#[derive(Debug, Clone, Copy)]
enum Subject {
    Concept(ConceptRef),
    Blank,
    /// Its IRI is none.
    Invalid,
}

/// Takes the triples of a file.
pub(super) struct Statements<'g> {
    graph: &'g mut Graph,
    file: usize,
    /// The subject of the last triple: those of a concept mostly follow each other.
    last: Option<(String, Subject)>,
    /// The language of texts without one.
    culture: Option<Culture>,
    ignored: HashSet<String>,
}

impl<'g> Statements<'g> {
    pub(super) fn new(graph: &'g mut Graph) -> Self {
        graph.set_unordered();
        Self {
            file: graph.file_count(),
            culture: graph.file_culture.clone(),
            graph,
            last: None,
            ignored: HashSet::new(),
        }
    }

    /// Takes a triple, whose parser checks neither IRIs nor language tags.
    pub(super) fn add(
        &mut self,
        subject: NamedOrBlankNodeRef<'_>,
        predicate: &str,
        object: TermRef<'_>,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        let Some(property) = Property::from_iri(predicate) else {
            return Ok(());
        };
        let object = Object::from(object);
        match (self.subject(subject, place)?, property) {
            (Subject::Invalid, _) => Ok(()),
            (_, Property::LiteralForm | Property::NoteValue) => {
                let Object::Text(language, text) = object else {
                    return Ok(());
                };
                let key = self.resource_key(TermRef::from(subject).into());
                let language = language_or(language, self.culture.as_ref());
                let is_label = matches!(property, Property::LiteralForm);
                let resource = defer::resource(self.graph, &key, is_label)?;
                let text = defer::text(self.graph, language, text)?;
                waiting(self.graph)?.values.push((resource, text));
                Ok(())
            }
            (_, Property::Rest) => {
                let node = self.resource_key(TermRef::from(subject).into());
                let rest = self.resource_key(object);
                waiting(self.graph)?.rests.insert(node.into(), rest.into());
                Ok(())
            }
            (Subject::Blank, _) => {
                self.check_blank(property, object, place);
                Ok(())
            }
            (Subject::Concept(concept), _) => self.add_about(concept, property, predicate, object, place),
        }
    }

    /// Reports a statement that cannot be read.
    pub(super) fn unreadable(&mut self, place: SourcePlace, message: &str) -> Result<(), Stop> {
        self.graph.unreadable(Code::Malformed, place, None, message)
    }

    fn subject(&mut self, subject: NamedOrBlankNodeRef<'_>, place: SourcePlace) -> Result<Subject, Stop> {
        let NamedOrBlankNodeRef::NamedNode(node) = subject else {
            return Ok(Subject::Blank);
        };
        if let Some((last, found)) = &self.last
            && last == node.as_str()
        {
            return Ok(*found);
        }
        let found = match self.concept_of(node.as_str(), None, place)? {
            Some(concept) => Subject::Concept(concept),
            None => Subject::Invalid,
        };
        self.last = Some((node.as_str().to_owned(), found));
        Ok(found)
    }

    /// The concept of an IRI; none, which is reported, if it is relative. What an IRI cannot hold is written with percent signs.
    fn concept_of(
        &mut self,
        iri: &str,
        subject: Option<ConceptRef>,
        place: SourcePlace,
    ) -> Result<Option<ConceptRef>, Stop> {
        let written = encoded(iri);
        if !is_absolute(&written) {
            let message = format_args!("<{iri}> is relative");
            self.graph.issue(Code::RelativeIri, place, subject, message);
            return Ok(None);
        }
        if written != iri && self.graph.known(&written).is_none() {
            let message = format_args!("<{iri}> is written <{written}>");
            self.graph.issue(Code::IriChanged, place, subject, message);
        }
        self.graph.concept(&written).map(Some)
    }

    /// The key of a resource. Another file does not share a blank node.
    fn resource_key(&self, resource: Object<'_>) -> String {
        match resource {
            Object::Blank(node) => format!("_:{}:{node}", self.file),
            Object::Iri(key) | Object::Text(_, key) => key.to_owned(),
        }
    }

    /// A concept that is a blank node would be another one in each release.
    fn check_blank(&mut self, property: Property, object: Object<'_>, place: SourcePlace) {
        let is_concept = match (property, object) {
            (Property::Type, Object::Iri(class)) => Class::from_iri(class) == Some(Class::Concept(None)),
            (Property::Link(_, LinkKind::TopOf), _) => true,
            _ => false,
        };
        if is_concept {
            let message = "a concept without an IRI is left out";
            self.graph.issue(Code::BlankNode, place, None, message);
        }
    }

    /// Reports a property of SKOS without a place once a file.
    fn ignore(&mut self, predicate: &str, place: SourcePlace) {
        if self.ignored.len() < 1000 && self.ignored.insert(predicate.to_owned()) {
            let message = format_args!("{} is not read", short(predicate));
            self.graph.issue(Code::Ignored, place, None, message);
        }
    }

    fn invalid(&mut self, concept: ConceptRef, predicate: &str, object: Object<'_>, place: SourcePlace) {
        let property = short(predicate);
        let message = match object {
            Object::Iri(iri) => format!("the {property} is the IRI <{iri}>, where a text belongs"),
            Object::Blank(text) | Object::Text(_, text) => format!("the {property} cannot be {text:?}"),
        };
        self.graph
            .issue(Code::InvalidValue, place, Some(concept), message);
    }
}

/// The language of a text without one, or with an empty one, is that of its file.
fn language_or<'t>(language: Option<&'t str>, of_file: Option<&'t Culture>) -> Option<&'t str> {
    let language = language.filter(|tag| !tag.is_empty());
    language.or(of_file.map(Culture::as_str))
}
