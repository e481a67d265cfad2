//! The classes and properties that are read, by IRI.

use taxonomy_model::RelationType;

use crate::concept::{ExactField, LinkStatement, NodeKind, Statement};

/// The namespaces, each with its prefix.
const NAMESPACES: [(&str, &str); 9] = [
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("skosxl", "http://www.w3.org/2008/05/skos-xl#"),
    // Our own vocabulary (docs/decisions/0020-downloads.md).
    ("tax", "urn:x-taxonomy:vocabulary#"),
    ("iso-thes", "http://purl.org/iso25964/skos-thes#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("dct", "http://purl.org/dc/terms/"),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
];

/// The class of concepts.
pub(super) const CONCEPT: &str = "http://www.w3.org/2004/02/skos/core#Concept";

/// Splits an IRI into the prefix of its namespace and its local name.
fn split(iri: &str) -> Option<(&'static str, &str)> {
    let mut found = NAMESPACES
        .iter()
        .filter_map(|(prefix, namespace)| Some((*prefix, iri.strip_prefix(namespace)?)));
    found.next()
}

/// The name of a property or class as a person writes it: `skos:member`.
pub(super) fn short(iri: &str) -> String {
    match split(iri) {
        Some((prefix, local)) => format!("{prefix}:{local}"),
        None => iri.to_owned(),
    }
}

/// A class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A concept, with its kind in a download of our own.
    Concept(Option<NodeKind>),
    Scheme,
    Collection,
}

impl Class {
    pub(super) fn from_iri(iri: &str) -> Option<Self> {
        match split(iri)? {
            ("skos", "Concept") => Some(Self::Concept(None)),
            ("skos", "ConceptScheme") => Some(Self::Scheme),
            ("skos", "Collection" | "OrderedCollection") => Some(Self::Collection),
            ("tax", "Category") => Some(Self::Concept(Some(NodeKind::Category))),
            ("tax", "Term") => Some(Self::Concept(Some(NodeKind::Term))),
            _ => None,
        }
    }
}

/// The statement of a text, perhaps in a language.
pub(super) type TextStatement = for<'t> fn(Option<&'t str>, &'t str) -> Statement<'t>;
/// The statement of a single value.
pub(super) type ValueStatement = for<'t> fn(&'t str) -> Statement<'t>;

/// What a relation says about its two ends, beside that they are related: S5 and S8 of the SKOS Reference, and its domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkKind {
    /// Nothing.
    Any,
    /// The subject is a concept.
    Semantic,
    /// Both are concepts.
    Hierarchical,
    /// The object is a scheme.
    InScheme,
    /// The subject is a concept, the object a scheme.
    TopOf,
}

/// A property.
#[derive(Debug, Clone, Copy)]
pub(super) enum Property {
    Type,
    Label(TextStatement),
    /// A label that is a resource (SKOS-XL).
    LabelResource(TextStatement),
    /// A note, or a resource that holds it.
    Note(TextStatement),
    /// The text of a resource: of a label (SKOS-XL), of a note.
    LiteralForm,
    NoteValue,
    /// A name for want of a `skos:prefLabel`; a lower rank counts before a higher one.
    Title(u8),
    /// A relation to a concept or scheme.
    Link(LinkStatement, LinkKind),
    /// The relation of the object to the subject.
    Inverse(LinkStatement, LinkKind),
    Mapping(RelationType),
    SubclassOf,
    /// A member of a collection, the list of those of an ordered one, and the rest of a list.
    Member,
    MemberList,
    Rest,
    Value(ValueStatement),
    Deprecated,
    Identifier,
    DefaultCulture,
    /// Of a scheme.
    Language,
    Release,
    /// A property of SKOS that has no place in our format.
    Ignored,
}

const NAME: TextStatement = |language, text| Statement::Name(language, text);
const ALT_NAME: TextStatement = |language, text| Statement::AltName(language, text);

impl Property {
    /// Returns true if resources that are no concepts have it as well, with whatever object.
    pub(super) const fn is_about_any(self) -> bool {
        matches!(
            self,
            Self::Type
                | Self::Identifier
                | Self::Title(_)
                | Self::Release
                | Self::Language
                | Self::SubclassOf
                | Self::Member
        )
    }

    pub(super) fn from_iri(iri: &str) -> Option<Self> {
        let (prefix, local) = split(iri)?;
        Some(match (prefix, local) {
            ("skos", local) => from_skos(local),
            ("skosxl", "prefLabel") => Self::LabelResource(NAME),
            ("skosxl", "altLabel" | "hiddenLabel") => Self::LabelResource(ALT_NAME),
            ("skosxl", "literalForm") => Self::LiteralForm,
            ("tax", local) => return from_ours(local),
            ("iso-thes", "broaderGeneric" | "broaderPartitive" | "broaderInstantial") => {
                Self::Link(Statement::Broader, LinkKind::Hierarchical)
            }
            ("iso-thes", "narrowerGeneric" | "narrowerPartitive" | "narrowerInstantial") => {
                Self::Link(Statement::Narrower, LinkKind::Hierarchical)
            }
            ("rdf", "type") => Self::Type,
            ("rdf", "value") => Self::NoteValue,
            ("rdf", "rest") => Self::Rest,
            ("rdfs", "subClassOf") => Self::SubclassOf,
            ("dct", "isReplacedBy") => Self::Link(Statement::ReplacedBy, LinkKind::Any),
            ("dct", "replaces") => Self::Inverse(Statement::ReplacedBy, LinkKind::Any),
            ("dct", "identifier") => Self::Identifier,
            ("dct" | "dc", "language") => Self::Language,
            ("dct" | "dc", "title") => Self::Title(0),
            ("rdfs", "label") => Self::Title(1),
            ("owl", "deprecated") => Self::Deprecated,
            ("owl", "versionInfo") => Self::Release,
            _ => return None,
        })
    }
}

fn from_skos(local: &str) -> Property {
    match local {
        "prefLabel" => Property::Label(NAME),
        // A hidden label is there to be found by.
        "altLabel" | "hiddenLabel" => Property::Label(ALT_NAME),
        "definition" => Property::Note(|language, text| Statement::Definition(language, text)),
        "scopeNote" => Property::Note(|language, text| Statement::ScopeNote(language, text)),
        "example" => Property::Note(|language, text| Statement::Property("example", language, text)),
        "historyNote" => Property::Note(|language, text| Statement::Property("historyNote", language, text)),
        "editorialNote" => {
            Property::Note(|language, text| Statement::Property("editorialNote", language, text))
        }
        "changeNote" => Property::Note(|language, text| Statement::Property("changeNote", language, text)),
        "note" => Property::Note(|language, text| Statement::Property("note", language, text)),
        "notation" => Property::Value(|text| Statement::Notation(text)),
        "broader" => Property::Link(Statement::Broader, LinkKind::Hierarchical),
        "narrower" => Property::Link(Statement::Narrower, LinkKind::Hierarchical),
        "broaderTransitive" => Property::Link(Statement::Above, LinkKind::Hierarchical),
        "narrowerTransitive" => Property::Link(Statement::Below, LinkKind::Hierarchical),
        "related" => Property::Link(Statement::Related, LinkKind::Semantic),
        "exactMatch" => Property::Mapping(RelationType::Exact),
        "closeMatch" => Property::Mapping(RelationType::Close),
        "broadMatch" => Property::Mapping(RelationType::Broad),
        "narrowMatch" => Property::Mapping(RelationType::Narrow),
        "relatedMatch" => Property::Mapping(RelationType::Related),
        "inScheme" => Property::Link(Statement::InScheme, LinkKind::InScheme),
        "topConceptOf" => Property::Link(Statement::TopOf, LinkKind::TopOf),
        "hasTopConcept" => Property::Inverse(Statement::TopOf, LinkKind::TopOf),
        "member" => Property::Member,
        "memberList" => Property::MemberList,
        _ => Property::Ignored,
    }
}

fn from_ours(local: &str) -> Option<Property> {
    Some(match local {
        "defaultCulture" => Property::DefaultCulture,
        "parent" => Property::Link(Statement::Parent, LinkKind::Any),
        // Our downloads write a language with each of them.
        "name" => Property::Label(|language, text| Statement::ExactName(language.unwrap_or_default(), text)),
        "path" => Property::Label(|language, text| Statement::Path(language.unwrap_or_default(), text)),
        "sortKey" => Property::Value(|text| Statement::SortKey(text)),
        "deprecationReason" => Property::Value(|text| Statement::DeprecationReason(text)),
        "deprecatedSince" => Property::Value(|text| Statement::DeprecatedSince(text)),
        "altNames" => Property::Value(|json| Statement::Exact(ExactField::AltNames, json)),
        "notes" => Property::Value(|json| Statement::Exact(ExactField::Notes, json)),
        "metadata" => Property::Value(|json| Statement::Exact(ExactField::Metadata, json)),
        "replacedBy" => Property::Value(|json| Statement::Exact(ExactField::ReplacedBy, json)),
        "relations" => Property::Value(|json| Statement::Exact(ExactField::Relations, json)),
        _ => return None,
    })
}
