//! The optional members of terms and categories, from their stored form.

use serde_json::value::RawValue;
use taxonomy_api::{Deprecation, Details, Metadata, Notes, Provenance, RelatedId, Relation, RelationType};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{
    Deprecation as StoredDeprecation, Notes as StoredNotes, Provenance as StoredProvenance,
    RelatedId as StoredId, Relation as StoredRelation, RelationType as StoredType,
};
use taxonomy_store::StoreError;

use crate::response::problem::Problem;
use crate::routes::best_name::CategoryNamed;
use crate::routes::terms::ancestors;

/// Returns the details of a term that these terms replace.
///
/// # Errors
/// `internal-error` where its metadata is damaged.
pub(crate) fn of_term<'a>(term: &'a StoredTerm, replaced_by: &'a [u64]) -> Result<Details<'a>, Problem> {
    Ok(Details {
        ancestors: Some(ancestors(term, term.paths().into_iter().skip(1))),
        alt_names: (&*term.alt_names).into(),
        notes: term.notes.as_ref().map(notes),
        sort_key: term.sort_key.as_deref().map(Into::into),
        metadata: metadata(term.metadata.as_deref())?,
        deprecation: term.deprecation.as_ref().map(deprecation),
        replaced_by: replaced_by.into(),
        relations: relations(&term.relations),
    })
}

/// Returns the details of a category that answers with a name.
///
/// # Errors
/// `internal-error` where its metadata is damaged.
pub(crate) fn of_category<'a>(
    category: &'a StoredCategory,
    named: &CategoryNamed<'_>,
) -> Result<Details<'a>, Problem> {
    Ok(Details {
        ancestors: None,
        alt_names: alt_names(category, named).into(),
        notes: category.notes.get(named.culture).map(notes),
        sort_key: category.sort_key.as_deref().map(Into::into),
        metadata: metadata(category.metadata.as_deref())?,
        deprecation: category.deprecation.as_ref().map(deprecation),
        replaced_by: (&*category.replaced_by).into(),
        relations: relations(&category.relations),
    })
}

pub(crate) fn alt_names<'a>(category: &'a StoredCategory, named: &CategoryNamed<'_>) -> &'a [String] {
    let alt_names = category.alt_names.get(named.culture);
    alt_names.map_or(&[], Vec::as_slice)
}

pub(crate) fn notes(stored: &StoredNotes) -> Notes<'_> {
    Notes {
        definition: stored.definition.as_deref().map(Into::into),
        scope_note: stored.scope_note.as_deref().map(Into::into),
    }
}

pub(crate) fn deprecation(stored: &StoredDeprecation) -> Deprecation<'_> {
    Deprecation {
        reason: stored.reason.as_deref().map(Into::into),
        since: stored.since.as_deref().map(Into::into),
    }
}

pub(crate) fn provenance(stored: &StoredProvenance) -> Provenance<'_> {
    Provenance {
        release: stored.release.as_deref().map(Into::into),
        author: stored.author.as_deref().map(Into::into),
        reason: stored.reason.as_deref().map(Into::into),
    }
}

pub(crate) fn relations(stored: &[StoredRelation]) -> Vec<Relation<'_>> {
    stored.iter().map(relation).collect()
}

pub(crate) fn relation(stored: &StoredRelation) -> Relation<'_> {
    Relation {
        kind: relation_type(stored.kind),
        scheme: stored.scheme.as_deref().map(Into::into),
        id: match &stored.id {
            StoredId::Term(id) => RelatedId::Term(*id),
            StoredId::Concept(concept) => RelatedId::Concept(concept.into()),
        },
    }
}

pub(crate) fn relation_type(stored: StoredType) -> RelationType {
    match stored {
        StoredType::Exact => RelationType::Exact,
        StoredType::Close => RelationType::Close,
        StoredType::Broad => RelationType::Broad,
        StoredType::Narrow => RelationType::Narrow,
        StoredType::Related => RelationType::Related,
    }
}

/// Returns stored metadata as JSON; an empty object where there are none.
///
/// # Errors
/// `internal-error` where the stored text is not JSON.
pub(crate) fn metadata(stored: Option<&str>) -> Result<Metadata<'_>, Problem> {
    let json = serde_json::from_str::<&RawValue>(stored.unwrap_or("{}"));
    let json = json.map_err(|error| StoreError::Damaged {
        what: "metadata".to_owned(),
        source: error.into(),
    })?;
    Ok(json.into())
}
