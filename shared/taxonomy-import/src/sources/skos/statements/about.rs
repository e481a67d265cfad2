//! What a triple says about a concept, by its property.

use taxonomy_keys::Culture;
use taxonomy_model::RelationType;

use super::{Object, Statements, language_or};
use crate::concept::{ConceptRef, LinkStatement, SourcePlace, Statement};
use crate::graph::Stop;
use crate::report::Code;
use crate::sources::skos::defer::{self, waiting};
use crate::sources::skos::deferred::Hint;
use crate::sources::skos::iri::{encoded, is_absolute, last_segment};
use crate::sources::skos::vocabulary::{Class, LinkKind, Property, TextStatement, short};

impl Statements<'_> {
    /// Adds what a triple says about a concept, by its property and the kind of its object.
    pub(super) fn add_about(
        &mut self,
        concept: ConceptRef,
        property: Property,
        predicate: &str,
        object: Object<'_>,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        match (property, object) {
            (Property::Ignored, _) => self.ignore(predicate, place),
            (Property::Type, Object::Iri(class)) => self.add_type(concept, class, place)?,
            (Property::SubclassOf, Object::Iri(class)) => {
                let class = self.graph.concept(class)?;
                waiting(self.graph)?.subclasses.push((concept, class));
            }
            (Property::Member, Object::Iri(_)) => {
                *waiting(self.graph)?.collections.entry(concept).or_default() += 1;
            }
            (Property::MemberList, Object::Iri(_) | Object::Blank(_)) => {
                self.add_member_list(concept, object)?;
            }
            (Property::Language, Object::Iri(iri)) => self.add_language(concept, last_segment(iri))?,
            (Property::LabelResource(statement), Object::Iri(_) | Object::Blank(_)) => {
                defer::hint(self.graph, concept, Hint::Label, place)?;
                self.add_resource(concept, statement, object, true)?;
            }
            (Property::Note(statement), Object::Iri(_) | Object::Blank(_)) => {
                self.add_resource(concept, statement, object, false)?;
            }
            (Property::Mapping(kind), Object::Iri(iri)) => self.add_mapping(concept, kind, iri, place)?,
            (Property::Link(statement, kind), Object::Iri(iri)) => {
                if let Some(other) = self.concept_of(iri, Some(concept), place)? {
                    self.add_link(concept, (statement, kind), other, place)?;
                }
            }
            (Property::Inverse(statement, kind), Object::Iri(iri)) => {
                if let Some(other) = self.concept_of(iri, Some(concept), place)? {
                    self.add_link(other, (statement, kind), concept, place)?;
                }
            }
            (property, Object::Text(language, text)) => {
                if !self.add_text(concept, property, language, text, place)? {
                    self.invalid(concept, predicate, object, place);
                }
            }
            // They concern no concept.
            (property, _) if property.is_about_any() => {}
            (_, Object::Iri(_)) => self.invalid(concept, predicate, object, place),
            (_, Object::Blank(_)) => {
                let message = format_args!("{} names a concept or scheme without an IRI", short(predicate));
                self.graph.issue(Code::BlankNode, place, Some(concept), message);
            }
        }
        Ok(())
    }

    fn add_mapping(
        &mut self,
        concept: ConceptRef,
        kind: RelationType,
        iri: &str,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        let written = encoded(iri);
        match is_absolute(&written) {
            true => self
                .graph
                .state(concept, Statement::Mapping(kind, None, &written), place),
            false => self.concept_of(iri, Some(concept), place).map(drop),
        }
    }

    /// Adds the resource of a label or note.
    fn add_resource(
        &mut self,
        concept: ConceptRef,
        statement: TextStatement,
        object: Object<'_>,
        is_label: bool,
    ) -> Result<(), Stop> {
        let key = self.resource_key(object);
        let resource = defer::resource(self.graph, &key, is_label)?;
        waiting(self.graph)?.roles.push((resource, concept, statement));
        Ok(())
    }

    fn add_member_list(&mut self, collection: ConceptRef, first: Object<'_>) -> Result<(), Stop> {
        let first = self.resource_key(first);
        let deferred = waiting(self.graph)?;
        deferred.collections.entry(collection).or_default();
        deferred.lists.push((collection, first.into()));
        Ok(())
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
                let text = defer::text(self.graph, language, text)?;
                waiting(self.graph)?.titles.push((concept, rank, text));
            }
            (Property::Value(statement), _) => self.graph.state(concept, statement(text), place)?,
            (Property::Deprecated, _) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => self.graph.state(concept, Statement::Deprecated, place)?,
                "false" | "0" => {}
                _ => return Ok(false),
            },
            (Property::Identifier, _) => {
                if let Ok(number) = text.parse() {
                    waiting(self.graph)?.identifiers.push((concept, number));
                }
            }
            (Property::Release, _) => waiting(self.graph)?.releases.push((concept, text.into())),
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
        if let Some(culture) = language.parse().ok().filter(|_| first.len() == 2) {
            waiting(self.graph)?.languages.insert((concept, culture));
        }
        Ok(())
    }

    fn add_type(&mut self, concept: ConceptRef, class: &str, place: SourcePlace) -> Result<(), Stop> {
        match Class::from_iri(class) {
            None => {
                let (class, file) = (self.graph.concept(class)?, self.graph.file());
                waiting(self.graph)?.types.push((concept, class, file, place));
            }
            Some(Class::Scheme) => defer::scheme(self.graph, concept, place)?,
            Some(Class::Collection) => _ = waiting(self.graph)?.collections.entry(concept).or_default(),
            Some(Class::Concept(own)) => {
                if let Some(kind) = own {
                    self.graph.state(concept, Statement::Own(kind), place)?;
                }
                self.graph.state(concept, Statement::Concept, place)?;
            }
        }
        Ok(())
    }

    fn add_link(
        &mut self,
        subject: ConceptRef,
        (statement, kind): (LinkStatement, LinkKind),
        object: ConceptRef,
        place: SourcePlace,
    ) -> Result<(), Stop> {
        if matches!(
            kind,
            LinkKind::Semantic | LinkKind::Hierarchical | LinkKind::TopOf
        ) {
            defer::hint(self.graph, subject, Hint::Semantic, place)?;
        }
        match kind {
            LinkKind::Hierarchical => defer::hint(self.graph, object, Hint::Semantic, place)?,
            LinkKind::InScheme | LinkKind::TopOf => defer::scheme(self.graph, object, place)?,
            LinkKind::Any | LinkKind::Semantic => {}
        }
        self.graph.state(subject, statement(object), place)
    }
}
