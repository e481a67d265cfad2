//! The terms that a text mentions.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TermId, Version};
use utoipa::ToSchema;

/// The terms that a text mentions, from its begin on, or a part of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mentions<'a> {
    /// The version whose names were looked for.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The cultures whose names were looked for, in their order.
    #[schema(value_type = Vec<String>)]
    pub cultures: Vec<Culture>,
    /// The mentions in the order of the text; none overlaps another.
    pub items: Vec<Mention<'a>>,
    /// The place from which the rest of the text is read, as `from` of the next request with the same text; absent where nothing is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next: Option<u32>,
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mention<'a> {
    /// Its start and end in the text, in UTF-16 code units.
    #[schema(example = json!([10, 25]))]
    pub range: [u32; 2],
    /// It as the text has it.
    #[schema(example = "Rust developers")]
    pub text: Cow<'a, str>,
    /// The terms that have such a name, at most 20: the best class first, then names before alternative names, live terms before deprecated ones, and
    /// the order of the tree. More than one where the name is ambiguous.
    pub candidates: Vec<MentionedTerm<'a>>,
    /// Whether more terms have such a name.
    pub truncated: bool,
}

/// A term that a mention may mean; the operation by id returns all of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionedTerm<'a> {
    /// The term.
    #[schema(value_type = u64, example = 101)]
    pub id: TermId,
    /// Its name.
    #[schema(example = "Rust developer")]
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// `{category name}:{term name}`.
    #[schema(example = "Sector:Rust developer")]
    pub final_name: Cow<'a, str>,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Its category.
    #[schema(value_type = u64, example = 1)]
    pub category: CategoryId,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<Cow<'a, str>>,
    /// Whether the term is deprecated: not for new use.
    pub deprecated: bool,
    /// The terms that replace a deprecated one.
    pub replaced_by: Cow<'a, [u64]>,
    /// The name of the term that the text has.
    pub mentioned: MentionedName<'a>,
}

/// The name of a term that a text has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionedName<'a> {
    /// The name, as the file has it.
    #[schema(example = "Rust developer")]
    pub name: Cow<'a, str>,
    /// The culture of the name.
    #[schema(value_type = String, example = "en-GB")]
    pub culture: Culture,
    /// `name` or, of another name of the term, `altName`.
    #[schema(example = "name")]
    pub kind: Cow<'a, str>,
    /// How the text has the name: `whole` but for case and spaces, `folded` with other marks, joined, split or with another word for *and*, `plural`
    /// with a word in another number.
    #[schema(example = "plural")]
    pub class: Cow<'a, str>,
}
