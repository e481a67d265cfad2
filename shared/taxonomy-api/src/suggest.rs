//! Hits of a search.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, Version};
use utoipa::ToSchema;

use crate::NodeKind;

/// A page of the categories and terms that match a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestions {
    /// The categories and terms, the best first, each once; none where nothing matches.
    pub items: Vec<Suggestion>,
    /// The number of items on all pages.
    pub total: u64,
    /// Whether there are more items than `total`: with `total=exact` all are counted.
    pub total_is_minimum: bool,
    /// Whether more names begin with the query than are read, so that a better item may be missing: a longer query finds it.
    pub truncated: bool,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
    /// Where nothing matches: what was searched, and what would have matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub nothing_found: Option<NothingFound>,
    /// With `counts=facets`, on the first page: how many items each value of each filter has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub counts: Option<FacetTotals>,
}

/// The number of categories and terms of each value of each filter, with all other filters as they are: the total of the request with that value
/// instead. Lower bounds where `truncated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FacetTotals {
    /// By `kind`.
    pub kinds: KindTotals,
    /// By `category`: the 100 with the most terms, the largest first, of equal ones in the order of the tree; only those that have some.
    pub categories: Vec<CategoryTotal>,
    /// The number of further categories that have some.
    pub further_categories: u64,
    /// By level: 0 for categories, 1 for top terms, or for those directly below the term of `below`. `depth=` has a level and all above it.
    pub depths: Vec<u64>,
    /// By `deprecated`.
    pub states: StateTotals,
    /// By `missing`: each culture in which some have no name, out of the first 32, those of the request before the others.
    pub missing: Vec<CultureTotal>,
}

/// The numbers of categories and of terms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindTotals {
    /// `category`.
    pub category: u64,
    /// `term`.
    pub term: u64,
}

/// The numbers of nodes by their state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateTotals {
    /// `exclude`: those that are not deprecated.
    pub exclude: u64,
    /// `only`: those that are.
    pub only: u64,
}

/// The number of terms of a category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryTotal {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The culture of the name.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// The number of its terms.
    pub total: u64,
}

/// A category or a term with the name that matches; the operation by id returns all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// Its kind.
    pub kind: NodeKind,
    /// Its id.
    #[schema(example = 101)]
    pub id: u64,
    /// Its name.
    #[schema(example = "Rust developer")]
    pub name: String,
    /// The culture of the name.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// For a term `{category name}:{term name}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Sector:Rust developer")]
    pub final_name: Option<String>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "it/rust")]
    pub path: Option<String>,
    /// For a term its category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<u64>, example = 1)]
    pub category: Option<CategoryId>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "6201")]
    pub notation: Option<String>,
    /// Whether it is deprecated: not for new use.
    pub deprecated: bool,
    /// The best of its names that match.
    pub matched: MatchedName,
}

/// A name that matches the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatchedName {
    /// The name, as the file has it; for an id the digits.
    #[schema(example = "Rustacean")]
    pub name: String,
    /// The culture of the name: one of those that were searched.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// The kind of the name.
    pub kind: NameKind,
    /// The class of the match.
    pub class: MatchClass,
    /// Start and end of each part of the name that matches, in UTF-16 code units.
    #[schema(example = json!([[0, 4]]))]
    pub ranges: Vec<[u32; 2]>,
}

/// The kinds of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum NameKind {
    /// The name of the category or term.
    Name,
    /// Another name of it.
    AltName,
    /// Its code in a classification.
    Notation,
    /// Its id.
    Id,
}

/// The classes of matches, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MatchClass {
    /// The query is the name, with its marks and signs.
    Whole,
    /// The letters of the query are those of the name: marks, signs, spaces and words for *and* do not count.
    Folded,
    /// The name begins with the query.
    Start,
    /// Each word of the query is the beginning of a word of the name, or another form of one.
    Word,
    /// A word of the query is inside a word of the name, or is two words of it.
    Inside,
    /// Each word of the query is the beginning of a word of the name, with typos.
    Typo,
}

/// What a search without hits looked at, and what would have matched if one restriction were lifted. A name that differs by a typo would not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NothingFound {
    /// The cultures that were searched.
    #[schema(value_type = Vec<String>)]
    pub cultures: Vec<Culture>,
    /// The number of categories and terms that match with `deprecated=include`.
    pub in_any_state: u64,
    /// The number that match without any filter.
    pub unfiltered: u64,
    /// The cultures that were not searched and have matches, out of the first 32; there may be more matches where a total is above 50.
    pub other_cultures: Vec<CultureTotal>,
    /// Removed categories and terms that have the query as their id, or whose last name has its letters: at most 10 by their names.
    pub removed: Vec<RemovedNode>,
}

/// A number of a culture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CultureTotal {
    /// The culture.
    #[schema(value_type = String)]
    pub culture: Culture,
    /// The number of categories and terms.
    pub total: u64,
}

/// A category or a term that a version removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedNode {
    /// Its kind.
    pub kind: NodeKind,
    /// Its id.
    pub id: u64,
    /// Its last name.
    pub name: String,
    /// The version that removed it.
    #[schema(value_type = u64)]
    pub removed_in: Version,
}
