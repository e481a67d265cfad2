//! From triples to statements about concepts.

use std::collections::HashSet;

use oxrdf::{NamedOrBlankNodeRef, TermRef};
use taxonomy_keys::Culture;

use super::defer::{self, defer};
use super::deferred::Hint;
use super::iri::{encoded, is_absolute, last_segment};
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
            (_, Property::Rest) => {
                let (node, rest) = (
                    self.resource_key(TermRef::from(subject).into()),
                    self.resource_key(object),
                );
                defer(self.graph, |deferred| {
                    deferred.rests.insert(node.into(), rest.into());
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
            (_, Object::Iri(iri)) => {
                if !self.add_iri(concept, property, iri, place)? {
                    self.invalid(concept, predicate, object, place);
                }
                Ok(())
            }
            (Property::LabelResource(_) | Property::Note(_), _) => {
                self.add_resource(concept, property, object, place)
            }
            (Property::MemberList, _) => self.add_member_list(concept, object),
            // They concern no concept.
            (property, _) if property.is_about_any() => Ok(()),
            (_, Object::Blank(_)) => {
                let message = format_args!("{} names a concept or scheme without an IRI", short(predicate));
                self.graph.issue(Code::BlankNode, place, Some(concept), message);
                Ok(())
            }
        }
    }

    /// Adds an IRI about a concept. Returns whether the property may have it.
    fn add_iri(
        &mut self,
        concept: ConceptRef,
        property: Property,
        iri: &str,
        place: SourcePlace,
    ) -> Result<bool, Stop> {
        match property {
            Property::Type => self.add_type(concept, iri, place)?,
            Property::SubclassOf => {
                let class = self.graph.concept(iri)?;
                defer(self.graph, |deferred| {
                    deferred.subclasses.push((concept, class));
                    Some(())
                })?;
            }
            Property::Member => defer(self.graph, |deferred| {
                *deferred.collections.entry(concept).or_default() += 1;
                Some(())
            })?,
            Property::MemberList => self.add_member_list(concept, Object::Iri(iri))?,
            Property::Language => self.add_language(concept, last_segment(iri))?,
            Property::LabelResource(_) | Property::Note(_) => {
                self.add_resource(concept, property, Object::Iri(iri), place)?;
            }
            Property::Mapping(kind) => {
                let written = encoded(iri);
                if is_absolute(&written) {
                    let mapping = Statement::Mapping(kind, None, &written);
                    self.graph.state(concept, mapping, place)?;
                } else {
                    self.concept_of(iri, Some(concept), place)?;
                }
            }
            property if property.is_link() => {
                if let Some(other) = self.concept_of(iri, Some(concept), place)? {
                    self.add_link(concept, property, other, place)?;
                }
            }
            property => return Ok(property.is_about_any()),
        }
        Ok(true)
    }

    /// Adds the resource of a label or note.
    fn add_resource(
        &mut self,
        concept: ConceptRef,
        property: Property,
        object: Object<'_>,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        let (statement, is_label) = match property {
            Property::LabelResource(statement) => (statement, true),
            Property::Note(statement) => (statement, false),
            _ => return Ok(()),
        };
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

    fn add_member_list(&mut self, collection: ConceptRef, first: Object<'_>) -> Result<(), Stop> {
        let first = self.resource_key(first);
        defer(self.graph, |deferred| {
            deferred.collections.entry(collection).or_default();
            deferred.lists.push((collection, first.into()));
            Some(())
        })
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
                defer::hint(self.graph, concept, Hint::Label, place)?;
                defer(self.graph, |deferred| {
                    let text = deferred.push_text(language, text)?;
                    deferred.titles.push((concept, rank, text));
                    Some(())
                })?;
            }
            (Property::Value(statement), _) => self.graph.state(concept, statement(text), place)?,
            (Property::Deprecated, _) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => self.graph.state(concept, Statement::Deprecated, place)?,
                "false" | "0" => {}
                _ => return Ok(false),
            },
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
            (Property::Type | Property::SubclassOf, _) => {}
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
            None => {
                let (class, file) = (self.graph.concept(class)?, self.graph.file());
                defer(self.graph, |deferred| {
                    deferred.types.push((concept, class, file, place));
                    Some(())
                })
            }
            Some(Class::Scheme) => defer::scheme(self.graph, concept, place),
            Some(Class::Collection) => defer(self.graph, |deferred| {
                deferred.collections.entry(concept).or_default();
                Some(())
            }),
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
            Property::Hierarchical(_) => {
                defer::hint(self.graph, concept, Hint::Semantic, place)?;
                defer::hint(self.graph, other, Hint::Semantic, place)?;
            }
            Property::HasTopConcept => defer::hint(self.graph, other, Hint::Semantic, place)?,
            _ => {}
        }
        match property {
            Property::Semantic(statement) | Property::Hierarchical(statement) | Property::Link(statement) => {
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
        let property = short(predicate);
        let message = match object {
            Object::Iri(iri) => format!("the {property} is <{iri}>, and no text"),
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
