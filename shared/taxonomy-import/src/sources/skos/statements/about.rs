//! What a triple says about a concept, by its property.

use taxonomy_keys::Culture;

use super::{Object, Statements, language_or};
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::Stop;
use crate::sources::skos::defer::{self, waiting};
use crate::sources::skos::deferred::Hint;
use crate::sources::skos::iri::{encoded, is_absolute, last_segment};
use crate::sources::skos::vocabulary::{Class, Property};

impl Statements<'_> {
    /// Adds an IRI about a concept. Returns whether the property may have it.
    pub(super) fn add_iri(
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
                waiting(self.graph)?.subclasses.push((concept, class));
            }
            Property::Member => *waiting(self.graph)?.collections.entry(concept).or_default() += 1,
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
    pub(super) fn add_resource(
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
        let resource = defer::resource(self.graph, &key, is_label)?;
        waiting(self.graph)?.roles.push((resource, concept, statement));
        Ok(())
    }

    pub(super) fn add_member_list(&mut self, collection: ConceptRef, first: Object<'_>) -> Result<(), Stop> {
        let first = self.resource_key(first);
        let deferred = waiting(self.graph)?;
        deferred.collections.entry(collection).or_default();
        deferred.lists.push((collection, first.into()));
        Ok(())
    }

    /// Adds a text about a concept. Returns whether the property may have it.
    pub(super) fn add_text(
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
}
