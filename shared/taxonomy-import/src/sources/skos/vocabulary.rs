//! The classes and properties that are read, by IRI.

use taxonomy_model::RelationType;

use crate::concept::Field;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";
const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const SKOS_XL: &str = "http://www.w3.org/2008/05/skos-xl#";
const ISO_THES: &str = "http://purl.org/iso25964/skos-thes#";
const DCT: &str = "http://purl.org/dc/terms/";
const DC: &str = "http://purl.org/dc/elements/1.1/";
const OWL: &str = "http://www.w3.org/2002/07/owl#";
/// Our own vocabulary (docs/decisions/0020-downloads.md).
const TAX: &str = "urn:x-taxonomy:vocabulary#";

/// A class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Concept,
    Scheme,
    Collection,
    Category,
    Term,
}

impl Class {
    pub(super) fn from_iri(iri: &str) -> Option<Self> {
        if let Some(local) = iri.strip_prefix(SKOS) {
            return match local {
                "Concept" => Some(Self::Concept),
                "ConceptScheme" => Some(Self::Scheme),
                "Collection" | "OrderedCollection" => Some(Self::Collection),
                _ => None,
            };
        }
        match iri.strip_prefix(TAX)? {
            "Category" => Some(Self::Category),
            "Term" => Some(Self::Term),
            _ => None,
        }
    }
}

/// A text about a concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Name,
    AltName,
    /// The exact name of a download of our own.
    ExactName,
    Path,
}

/// A note about a concept, or a resource that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Definition,
    Scope,
    /// A property of the metadata, by its name in SKOS.
    Property(&'static str),
}

/// A relation between two concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Broader,
    Narrower,
    Parent,
    Related,
    ReplacedBy,
    /// The object was replaced by the subject.
    Replaces,
}

/// A single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Notation,
    SortKey,
    DeprecationReason,
    DeprecatedSince,
    Exact(Field),
}

/// A property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Type,
    Label(Label),
    /// A label that is a resource (SKOS-XL).
    LabelResource(Label),
    Note(Note),
    /// The text of a resource: of a label (SKOS-XL), of a note.
    LiteralForm,
    NoteValue,
    /// A name for want of a `skos:prefLabel`; a lower rank counts before a higher one.
    Title(u8),
    Link(Link),
    Mapping(RelationType),
    InScheme,
    TopConceptOf,
    HasTopConcept,
    Value(Value),
    Deprecated,
    Identifier,
    DefaultCulture,
    Release,
    /// A property of SKOS that has no place in our format.
    Ignored,
}

impl Property {
    pub(super) fn from_iri(iri: &str) -> Option<Self> {
        if let Some(local) = iri.strip_prefix(SKOS) {
            return Some(of_skos(local));
        }
        if let Some(local) = iri.strip_prefix(SKOS_XL) {
            return of_skos_xl(local);
        }
        if let Some(local) = iri.strip_prefix(TAX) {
            return of_ours(local);
        }
        if let Some(local) = iri.strip_prefix(ISO_THES) {
            return match local {
                "broaderGeneric" | "broaderPartitive" | "broaderInstantial" => {
                    Some(Self::Link(Link::Broader))
                }
                "narrowerGeneric" | "narrowerPartitive" | "narrowerInstantial" => {
                    Some(Self::Link(Link::Narrower))
                }
                _ => None,
            };
        }
        if let Some(local) = iri.strip_prefix(RDF) {
            return match local {
                "type" => Some(Self::Type),
                "value" => Some(Self::NoteValue),
                _ => None,
            };
        }
        if let Some(local) = iri.strip_prefix(DCT) {
            return match local {
                "isReplacedBy" => Some(Self::Link(Link::ReplacedBy)),
                "replaces" => Some(Self::Link(Link::Replaces)),
                "identifier" => Some(Self::Identifier),
                "title" => Some(Self::Title(0)),
                _ => None,
            };
        }
        match (
            iri.strip_prefix(OWL),
            iri.strip_prefix(DC),
            iri.strip_prefix(RDFS),
        ) {
            (Some("deprecated"), ..) => Some(Self::Deprecated),
            (Some("versionInfo"), ..) => Some(Self::Release),
            (_, Some("title"), _) => Some(Self::Title(0)),
            (.., Some("label")) => Some(Self::Title(1)),
            _ => None,
        }
    }
}

fn of_skos(local: &str) -> Property {
    use RelationType::{Broad, Close, Exact, Narrow, Related};
    match local {
        "prefLabel" => Property::Label(Label::Name),
        // A hidden label is there to be found by.
        "altLabel" | "hiddenLabel" => Property::Label(Label::AltName),
        "definition" => Property::Note(Note::Definition),
        "scopeNote" => Property::Note(Note::Scope),
        "example" => Property::Note(Note::Property("example")),
        "historyNote" => Property::Note(Note::Property("historyNote")),
        "editorialNote" => Property::Note(Note::Property("editorialNote")),
        "changeNote" => Property::Note(Note::Property("changeNote")),
        "note" => Property::Note(Note::Property("note")),
        "notation" => Property::Value(Value::Notation),
        "broader" => Property::Link(Link::Broader),
        "narrower" => Property::Link(Link::Narrower),
        "related" => Property::Link(Link::Related),
        "exactMatch" => Property::Mapping(Exact),
        "closeMatch" => Property::Mapping(Close),
        "broadMatch" => Property::Mapping(Broad),
        "narrowMatch" => Property::Mapping(Narrow),
        "relatedMatch" => Property::Mapping(Related),
        "inScheme" => Property::InScheme,
        "topConceptOf" => Property::TopConceptOf,
        "hasTopConcept" => Property::HasTopConcept,
        _ => Property::Ignored,
    }
}

fn of_skos_xl(local: &str) -> Option<Property> {
    match local {
        "prefLabel" => Some(Property::LabelResource(Label::Name)),
        "altLabel" | "hiddenLabel" => Some(Property::LabelResource(Label::AltName)),
        "literalForm" => Some(Property::LiteralForm),
        _ => None,
    }
}

fn of_ours(local: &str) -> Option<Property> {
    Some(match local {
        "defaultCulture" => Property::DefaultCulture,
        "parent" => Property::Link(Link::Parent),
        "name" => Property::Label(Label::ExactName),
        "path" => Property::Label(Label::Path),
        "sortKey" => Property::Value(Value::SortKey),
        "deprecationReason" => Property::Value(Value::DeprecationReason),
        "deprecatedSince" => Property::Value(Value::DeprecatedSince),
        "altNames" => Property::Value(Value::Exact(Field::AltNames)),
        "notes" => Property::Value(Value::Exact(Field::Notes)),
        "metadata" => Property::Value(Value::Exact(Field::Metadata)),
        "replacedBy" => Property::Value(Value::Exact(Field::ReplacedBy)),
        "relations" => Property::Value(Value::Exact(Field::Relations)),
        _ => return None,
    })
}

/// The name of a property or class as a person writes it: `skos:member`.
pub(super) fn short(iri: &str) -> String {
    let names = [
        (SKOS, "skos:"),
        (SKOS_XL, "skosxl:"),
        (TAX, "tax:"),
        (DCT, "dct:"),
        (OWL, "owl:"),
        (RDF, "rdf:"),
    ];
    let names = names
        .into_iter()
        .chain([(ISO_THES, "iso-thes:"), (RDFS, "rdfs:"), (DC, "dc:")]);
    let mut found = names.filter_map(|(long, short)| Some([short, iri.strip_prefix(long)?].concat()));
    found.next().unwrap_or_else(|| iri.to_owned())
}
