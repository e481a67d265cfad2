//! The change of one category or term between two versions, by the words that [`Changes`](crate::Changes) counts with.

use serde::Serialize;

use crate::fact::Fact;
use crate::facts::{category_facts, differs_in_final_name, term_facts};
use crate::taxonomy::{Category, Term};
use crate::writes::Pair;

/// A kind of change. The names are published (docs/decisions/0021-changes.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// The later version alone has it.
    Added,
    /// The earlier version alone has it.
    Removed,
    /// Its name in a culture is another, or there is one more or one less.
    Renamed,
    /// A term has another parent or another category.
    Moved,
    /// It is deprecated now.
    Deprecated,
    /// It is deprecated no longer.
    Restored,
    /// Another field is another: [`NodeChange::fields`] names it.
    Changed,
    /// The FinalName of a term in the default culture is another, for whatever reason.
    FinalName,
}

/// The change of a category or term between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeChange {
    /// The kinds of its change, in the order of the enum; none where the versions do not differ in it.
    pub kinds: Vec<ChangeKind>,
    /// The fields that differ beside names, place and deprecation, ascending, by their names in the file.
    pub fields: Vec<String>,
}

/// The field that a [`Fact::PathChanged`] speaks of.
const PATH: &str = "path";

impl NodeChange {
    /// Compares a category of two versions; none stands for a version that lacks it.
    #[must_use]
    pub fn of_category(old: Option<Category<'_>>, new: Option<Category<'_>>) -> Self {
        match (old, new) {
            (Some(old), Some(new)) => Self::of_facts(&category_facts(Pair::Kept(old, new)), false),
            (old, new) => Self::of_presence(old.is_some(), new.is_some()),
        }
    }

    /// Compares a term of two versions; none stands for a version that lacks it.
    #[must_use]
    pub fn of_term(old: Option<Term<'_>>, new: Option<Term<'_>>) -> Self {
        match (old, new) {
            (Some(old), Some(new)) => {
                let facts = term_facts(Pair::Kept(old, new));
                Self::of_facts(&facts, differs_in_final_name(old, new))
            }
            (old, new) => Self::of_presence(old.is_some(), new.is_some()),
        }
    }

    /// True where the versions do not differ in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    fn of_presence(was: bool, is: bool) -> Self {
        let kinds = match (was, is) {
            (false, true) => vec![ChangeKind::Added],
            (true, false) => vec![ChangeKind::Removed],
            _ => Vec::new(),
        };
        Self {
            kinds,
            fields: Vec::new(),
        }
    }

    fn of_facts(facts: &[Fact], is_final_name: bool) -> Self {
        let any = |is: fn(&Fact) -> bool| facts.iter().any(is);
        let mut fields: Vec<String> = facts.iter().filter_map(field).map(str::to_owned).collect();
        fields.sort_unstable();
        fields.dedup();
        let kinds = [
            (
                ChangeKind::Renamed,
                any(|fact| matches!(fact, Fact::Renamed { .. })),
            ),
            (
                ChangeKind::Moved,
                any(|fact| matches!(fact, Fact::TermMoved { .. })),
            ),
            (
                ChangeKind::Deprecated,
                any(|fact| matches!(fact, Fact::Deprecated { .. })),
            ),
            (
                ChangeKind::Restored,
                any(|fact| matches!(fact, Fact::Reinstated { .. })),
            ),
            (ChangeKind::Changed, !fields.is_empty()),
            (ChangeKind::FinalName, is_final_name),
        ];
        let kinds = kinds.into_iter().filter_map(|(kind, is)| is.then_some(kind));
        Self {
            kinds: kinds.collect(),
            fields,
        }
    }
}

/// The field that a fact changes, beside names, place and deprecation.
fn field(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::PathChanged { .. } => Some(PATH),
        Fact::Changed { field, .. } => Some(field),
        _ => None,
    }
}
