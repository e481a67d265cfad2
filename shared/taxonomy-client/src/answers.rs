//! The answers of the service, owned. Fields that this version does not know are ignored; serializing writes the names that the service
//! uses.

use crate::error::Problem;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taxonomy_keys::{TermId, Version};

pub use taxonomy_api::{
    CategoryTotal, CultureTotal, FacetTotals, KindTotals, MatchClass, MatchedName, Month, NameKind, NodeKind,
    NothingFound, RelationType, RemovedNode, StateTotals, Suggestion, Suggestions, Totals,
};

/// A term with its category and all its ancestors.
pub type Term = taxonomy_api::Term<'static>;
/// The category of a term.
pub type CategoryName = taxonomy_api::CategoryName<'static>;
/// A term above another.
pub type Ancestor = taxonomy_api::Ancestor<'static>;
/// A term in a list.
pub type Child = taxonomy_api::Child<'static>;
/// A category.
pub type Category = taxonomy_api::Category<'static>;
/// A category in a list.
pub type ListedCategory = taxonomy_api::ListedCategory<'static>;
/// A name in one culture, with what belongs to it.
pub type CultureName = taxonomy_api::CultureName<'static>;
/// A category or a term without a name in a culture.
pub type Gap = taxonomy_api::Gap<'static>;
/// A page of them, with their total number.
pub type GapsPage = taxonomy_api::GapsPage<'static>;
/// Definition and scope note.
pub type Notes = taxonomy_api::Notes<'static>;
/// The reason and date of a deprecation.
pub type Deprecation = taxonomy_api::Deprecation<'static>;
/// The metadata of the file's author.
pub type Metadata = taxonomy_api::Metadata<'static>;
/// A relation to a concept of another scheme or to a term of the tenant.
pub type Relation = taxonomy_api::Relation<'static>;
/// What a term is related to within the tenant.
pub type RelatedNode = taxonomy_api::RelatedNode<'static>;
/// The other end of a relation.
pub type RelatedId = taxonomy_api::RelatedId<'static>;
/// The newest version of a tenant.
pub type Head = taxonomy_api::Head<'static>;
/// The provenance of a version.
pub type Provenance = taxonomy_api::Provenance<'static>;
/// The terms that a text mentions.
pub type Mentions = taxonomy_api::Mentions<'static>;
/// A name in a text.
pub type Mention = taxonomy_api::Mention<'static>;
/// A term that a mention may mean.
pub type MentionedTerm = taxonomy_api::MentionedTerm<'static>;
/// The counts of a set of terms.
pub type Counts = taxonomy_api::Counts<'static>;
/// The counts of a tenant, and its activity.
pub type TenantStats = taxonomy_api::TenantStats<'static>;
/// The counts of a category.
pub type CategoryStats = taxonomy_api::CategoryStats<'static>;

/// The answers to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms<T = Term> {
    /// One result for each id, in the order of the request.
    pub items: Vec<BatchItem<T>>,
}

/// One result of a batch: a term with status 200, a problem with any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItem<T = Term> {
    /// The requested id.
    pub id: TermId,
    /// The status of the response to a request for the term alone.
    pub status: u16,
    /// The term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<T>,
    /// The reason why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The members of a term that an expander needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FinalNames {
    pub(crate) id: TermId,
    pub(crate) version: Version,
    pub(crate) final_name: String,
    pub(crate) ancestors: Vec<FinalName>,
}

/// The FinalName of an ancestor.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FinalName {
    pub(crate) final_name: String,
}

/// The term of an item of a batch.
pub(crate) trait OfBatch: DeserializeOwned + Clone {
    /// The requested members; all of them without a list.
    const FIELDS: Option<&'static str>;

    /// The term.
    fn id(&self) -> TermId;
}

impl OfBatch for Term {
    const FIELDS: Option<&'static str> = None;

    fn id(&self) -> TermId {
        self.id
    }
}

impl OfBatch for FinalNames {
    const FIELDS: Option<&'static str> = Some("version,finalName,ancestors.finalName");

    fn id(&self) -> TermId {
        self.id
    }
}
