//! The properties and classes that the statements use.

use oxrdf::NamedNodeRef;

const fn iri(text: &'static str) -> NamedNodeRef<'static> {
    NamedNodeRef::new_unchecked(text)
}

/// `rdf:type`.
pub(super) const TYPE: NamedNodeRef<'static> = oxrdf::vocab::rdf::TYPE;
/// The datatype of JSON texts.
pub(super) const JSON: NamedNodeRef<'static> = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON");

/// The namespaces, each with its prefix.
pub(super) const NAMESPACES: [(&str, &str); 6] = [
    ("dct", "http://purl.org/dc/terms/"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("tax", "urn:x-taxonomy:vocabulary#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

macro_rules! terms {
    ($base:literal: $($name:ident $local:literal),+ $(,)?) => {
        use super::{NamedNodeRef, iri};
        $(pub(in crate::skos) const $name: NamedNodeRef<'static> = iri(concat!($base, $local));)+
    };
}

pub(super) mod skos {
    terms! { "http://www.w3.org/2004/02/skos/core#":
        CONCEPT_SCHEME "ConceptScheme",
        CONCEPT "Concept",
        IN_SCHEME "inScheme",
        HAS_TOP_CONCEPT "hasTopConcept",
        TOP_CONCEPT_OF "topConceptOf",
        PREF_LABEL "prefLabel",
        ALT_LABEL "altLabel",
        NOTATION "notation",
        DEFINITION "definition",
        SCOPE_NOTE "scopeNote",
        BROADER "broader",
        NARROWER "narrower",
        RELATED "related",
        EXACT_MATCH "exactMatch",
        CLOSE_MATCH "closeMatch",
        BROAD_MATCH "broadMatch",
        NARROW_MATCH "narrowMatch",
        RELATED_MATCH "relatedMatch",
    }
}

pub(super) mod dct {
    terms! { "http://purl.org/dc/terms/":
        TITLE "title",
        IDENTIFIER "identifier",
        IS_REPLACED_BY "isReplacedBy",
    }
}

pub(super) mod owl {
    terms! { "http://www.w3.org/2002/07/owl#": DEPRECATED "deprecated" }
}

/// Our own vocabulary. These names are published.
pub(super) mod tax {
    terms! { "urn:x-taxonomy:vocabulary#":
        CATEGORY "Category",
        TERM "Term",
        DEFAULT_CULTURE "defaultCulture",
        PARENT "parent",
        NAME "name",
        PATH "path",
        ALT_NAMES "altNames",
        NOTES "notes",
        SORT_KEY "sortKey",
        METADATA "metadata",
        DEPRECATION_REASON "deprecationReason",
        DEPRECATED_SINCE "deprecatedSince",
        REPLACED_BY "replacedBy",
        RELATIONS "relations",
    }
}
