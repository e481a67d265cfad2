//! From triples to statements about concepts.

use std::collections::HashSet;

use oxrdf::{NamedOrBlankNodeRef, TermRef};
use taxonomy_keys::Culture;

use super::defer::{self, defer};
use super::deferred::Hint;
use super::vocabulary::{Class, Property, short};
use crate::concept::{ConceptRef, SourcePlace, Statement};
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
                defer(self.graph, |deferred| {
                    let resource = deferred.resource(&key, is_label)?;
                    let text = deferred.push_text(language, text)?;
                    deferred.values.push((resource, text));
                    Some(())
                })
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
        let found = if is_iri(node.as_str()) {
            Subject::Concept(self.graph.concept(node.as_str())?)
        } else {
            self.invalid_iri(None, node.as_str(), place);
            Subject::Invalid
        };
        self.last = Some((node.as_str().to_owned(), found));
        Ok(found)
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
            (Property::TopConceptOf, _) => true,
            _ => false,
        };
        if is_concept {
            let message = "a concept without an IRI is left out";
            self.graph.issue(Code::BlankNode, place, None, message);
        }
    }

    fn add_about(
        &mut self,
        concept: ConceptRef,
        property: Property,
        predicate: &str,
        object: Object<'_>,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        match (property, object) {
            (Property::Ignored, _) => {
                self.ignore(predicate, place);
                Ok(())
            }
            (_, Object::Text(language, text)) => {
                if !self.add_text(concept, property, language, text, place)? {
                    self.invalid(concept, predicate, object, place);
                }
                Ok(())
            }
            (Property::Type, Object::Iri(class)) => self.add_type(concept, class, place),
            (Property::Language, Object::Iri(iri)) => self.add_language(concept, last_segment(iri)),
            (Property::LabelResource(statement) | Property::Note(statement), _) => {
                let is_label = matches!(property, Property::LabelResource(_));
                if is_label {
                    defer::hint(self.graph, concept, Hint::Label, place)?;
                }
                let key = self.resource_key(object);
                defer(self.graph, |deferred| {
                    let resource = deferred.resource(&key, is_label)?;
                    deferred.roles.push((resource, concept, statement));
                    Some(())
                })
            }
            // Their content is stated otherwise, or concerns no concept.
            (Property::Type | Property::Identifier | Property::Title(_) | Property::Release, _) => Ok(()),
            (Property::Mapping(kind), Object::Iri(iri)) if is_iri(iri) => {
                self.graph
                    .state(concept, Statement::Mapping(kind, None, iri), place)
            }
            (
                Property::Semantic(_)
                | Property::Link(_)
                | Property::Replaces
                | Property::InScheme
                | Property::TopConceptOf
                | Property::HasTopConcept,
                Object::Iri(iri),
            ) if is_iri(iri) => {
                let other = self.graph.concept(iri)?;
                self.add_link(concept, property, other, place)
            }
            (_, Object::Blank(_)) => {
                let message = format_args!("{} names a concept or scheme without an IRI", short(predicate));
                self.graph.issue(Code::BlankNode, place, Some(concept), message);
                Ok(())
            }
            _ => {
                self.invalid(concept, predicate, object, place);
                Ok(())
            }
        }
    }

    /// Adds a text about a concept. Returns whether the property may have it.
    fn add_text(
        &mut self,
        concept: ConceptRef,
        property: Property,
        language: Option<&str>,
        text: &str,
        place: SourcePlace,
    ) -> Result<bool, Stop> {
        let language = language_or(language, self.culture.as_ref());
        match (property, text) {
            (Property::Label(statement), _) => {
                defer::hint(self.graph, concept, Hint::Label, place)?;
                self.graph.state(concept, statement(language, text), place)?;
            }
            (Property::Note(statement), _) => self.graph.state(concept, statement(language, text), place)?,
            (Property::Title(rank), _) => {
                defer(self.graph, |deferred| {
                    let text = deferred.push_text(language, text)?;
                    deferred.titles.push((concept, rank, text));
                    Some(())
                })?;
            }
            (Property::Value(statement), _) => self.graph.state(concept, statement(text), place)?,
            (Property::Deprecated, "true" | "1") => {
                self.graph.state(concept, Statement::Deprecated, place)?;
            }
            (Property::Deprecated, "false" | "0") => {}
            (Property::Identifier, _) => {
                if let Ok(number) = text.parse() {
                    defer(self.graph, |deferred| {
                        deferred.identifiers.push((concept, number));
                        Some(())
                    })?;
                }
            }
            (Property::Release, _) => defer(self.graph, |deferred| {
                deferred.releases.push((concept, text.into()));
                Some(())
            })?,
            (Property::DefaultCulture, _) => match text.parse::<Culture>() {
                Ok(culture) => self.graph.set_default_culture(&culture),
                Err(_) => return Ok(false),
            },
            (Property::Language, _) => self.add_language(concept, text)?,
            (Property::Type, _) => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds the language of a resource: `de`, or an IRI that ends with it. Codes of three letters are not those of the texts.
    fn add_language(&mut self, concept: ConceptRef, language: &str) -> Result<(), Stop> {
        let first = language.split('-').next().unwrap_or_default();
        match language.parse().ok().filter(|_| first.len() == 2) {
            Some(culture) => defer(self.graph, |deferred| {
                deferred.languages.insert((concept, culture));
                Some(())
            }),
            None => Ok(()),
        }
    }

    fn add_type(&mut self, concept: ConceptRef, class: &str, place: SourcePlace) -> Result<(), Stop> {
        match Class::from_iri(class) {
            None => Ok(()),
            Some(Class::Scheme) => defer::scheme(self.graph, concept, place),
            Some(Class::Collection) => {
                let message = "is a collection";
                self.graph.issue(Code::Ignored, place, Some(concept), message);
                Ok(())
            }
            Some(Class::Concept(own)) => {
                if let Some(kind) = own {
                    self.graph.state(concept, Statement::Own(kind), place)?;
                }
                self.graph.state(concept, Statement::Concept, place)
            }
        }
    }

    fn add_link(
        &mut self,
        concept: ConceptRef,
        property: Property,
        other: ConceptRef,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        // Only concepts have a place in a hierarchy: S5 and S8 of the SKOS Reference, and its domains.
        match property {
            Property::Semantic(_) | Property::TopConceptOf => {
                defer::hint(self.graph, concept, Hint::Semantic, place)?;
            }
            Property::HasTopConcept => defer::hint(self.graph, other, Hint::Semantic, place)?,
            _ => {}
        }
        match property {
            Property::Semantic(statement) | Property::Link(statement) => {
                self.graph.state(concept, statement(other), place)
            }
            Property::Replaces => self.graph.state(other, Statement::ReplacedBy(concept), place),
            Property::HasTopConcept => {
                defer::scheme(self.graph, concept, place)?;
                self.graph.state(other, Statement::TopOf(concept), place)
            }
            Property::TopConceptOf => {
                defer::scheme(self.graph, other, place)?;
                self.graph.state(concept, Statement::TopOf(other), place)
            }
            _ => {
                defer::scheme(self.graph, other, place)?;
                self.graph.state(concept, Statement::InScheme(other), place)
            }
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
        if let Object::Iri(iri) = object
            && !is_iri(iri)
        {
            return self.invalid_iri(Some(concept), iri, place);
        }
        let property = short(predicate);
        let message = match object {
            Object::Iri(iri) => format!("the {property} is <{iri}>, and no text"),
            Object::Blank(text) | Object::Text(_, text) => format!("the {property} cannot be {text:?}"),
        };
        self.graph
            .issue(Code::InvalidValue, place, Some(concept), message);
    }

    fn invalid_iri(&mut self, concept: Option<ConceptRef>, iri: &str, place: SourcePlace) {
        let message = format_args!("<{iri}> is no absolute IRI");
        self.graph.issue(Code::InvalidValue, place, concept, message);
    }
}

fn last_segment(iri: &str) -> &str {
    iri.rsplit(['/', '#']).next().unwrap_or(iri)
}

/// The language of a text without one, or with an empty one, is that of its file.
fn language_or<'t>(language: Option<&'t str>, of_file: Option<&'t Culture>) -> Option<&'t str> {
    let language = language.filter(|tag| !tag.is_empty());
    language.or(of_file.map(Culture::as_str))
}

/// Returns true if a text has the form of an absolute IRI: a scheme, and no character that an IRI cannot have (RFC 3987).
fn is_iri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        && !rest.is_empty()
        && !text
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || r#"<>"{}|\^`"#.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iri_is_absolute_and_holds_no_space() {
        for iri in ["http://example.com/é?a#b", "urn:a", "a+b.c-d:e"] {
            assert!(is_iri(iri), "{iri}");
        }
        for other in [
            "",
            "a",
            "/a/b",
            "urn:",
            ":a",
            "1a:b",
            "http://a b",
            "http://a/<b>",
            "http://a\u{85}b",
        ] {
            assert!(!is_iri(other), "{other}");
        }
    }
}
