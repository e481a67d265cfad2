//! The IRIs of a tenant's concepts.

use std::str::FromStr;

use oxrdf::NamedNode;
use taxonomy_keys::TenantId;

use super::hierarchy::ConceptKey;
use super::vocabulary::NAMESPACES;

/// The beginning of the IRIs of all tenants: an absolute IRI without a query, a fragment and a slash at its end.
///
/// ```
/// use taxonomy_formats::skos::Base;
/// assert_eq!("https://example.com/taxonomies/".parse::<Base>().unwrap().as_str(), "https://example.com/taxonomies");
/// assert_eq!(Base::default().as_str(), "urn:x-taxonomy:tenants");
/// assert!("taxonomies".parse::<Base>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(String);

/// The text is no beginning of IRIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a base is an absolute IRI without a query and a fragment, such as https://example.com/taxonomies")]
pub struct InvalidBase;

impl Base {
    /// The text, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn of_tenant(&self, tenant: &TenantId) -> Iris {
        let scheme = format!("{}/{tenant}", self.0);
        Iris {
            categories: format!("{scheme}/categories/"),
            terms: format!("{scheme}/terms/"),
            scheme,
        }
    }
}

/// A URN, which claims no host. A publisher with a host sets a base of its own.
impl Default for Base {
    fn default() -> Self {
        Self("urn:x-taxonomy:tenants".to_owned())
    }
}

impl FromStr for Base {
    type Err = InvalidBase;

    fn from_str(text: &str) -> Result<Self, InvalidBase> {
        let text = text.trim_end_matches('/');
        let may_begin = !text.contains(['?', '#']) && !text.ends_with(':');
        let is_base = may_begin && NamedNode::new(format!("{text}/a/terms/1")).is_ok();
        if is_base {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidBase)
        }
    }
}

/// The IRIs of one tenant.
#[derive(Debug)]
pub(super) struct Iris {
    scheme: String,
    categories: String,
    terms: String,
}

impl Iris {
    /// The concept scheme.
    pub(super) fn scheme(&self) -> NamedNode {
        NamedNode::new_unchecked(self.scheme.as_str())
    }

    pub(super) fn category(&self, id: u64) -> NamedNode {
        NamedNode::new_unchecked(format!("{}{id}", self.categories))
    }

    pub(super) fn term(&self, id: u64) -> NamedNode {
        NamedNode::new_unchecked(format!("{}{id}", self.terms))
    }

    pub(super) fn concept<'a>(&self, concept: impl Into<ConceptKey<'a>>) -> NamedNode {
        match concept.into() {
            ConceptKey::Category(id) => self.category(id.get()),
            ConceptKey::Term(id) => self.term(id.get()),
            ConceptKey::Concept(iri) => NamedNode::new_unchecked(iri),
        }
    }

    /// Whether an IRI is one of this tenant's.
    pub(super) fn is_own(&self, iri: &str) -> bool {
        let rest = iri.strip_prefix(&self.scheme);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The prefixes of a file, with their names.
    pub(super) fn prefixes(&self) -> Vec<(&'static str, String)> {
        let own = [
            ("category", self.categories.clone()),
            ("term", self.terms.clone()),
        ];
        let foreign = NAMESPACES.map(|(name, iri)| (name, iri.to_owned()));
        own.into_iter().chain(foreign).collect()
    }
}

/// The id of a concept of another scheme, where it is an IRI that other data may name. A code with a colon, such as `A:12`, would pass
/// for an absolute IRI too, so only these schemes count.
pub(super) fn concept_iri(id: &str) -> Option<&str> {
    let is_known = ["http://", "https://", "urn:"]
        .iter()
        .any(|scheme| id.starts_with(scheme));
    (is_known && NamedNode::new(id).is_ok()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_an_absolute_iri() {
        for base in ["https://a.io", "https://a.io/a/", "urn:a:b", "http://a.io:80/é"] {
            assert!(base.parse::<Base>().is_ok(), "{base}");
        }
        let others = ["", "a/b", "https://", "urn:", "https://a b.io", "<urn:a>"];
        for other in others.into_iter().chain(["https://a.io/?a", "https://a.io/#a"]) {
            assert_eq!(other.parse::<Base>(), Err(InvalidBase), "{other}");
        }
    }

    #[test]
    fn only_an_iri_names_a_concept() {
        for iri in ["http://data.europa.eu/esco/occupation/1", "urn:isbn:1"] {
            assert_eq!(concept_iri(iri), Some(iri));
        }
        for other in ["c1", "A:12", "http://exa mple", "http://a/<b>", "1"] {
            assert_eq!(concept_iri(other), None, "{other}");
        }
    }
}
