//! The change of one category or term between two versions, in the terms of [`Changes`](crate::Changes).

use std::collections::BTreeSet;

use serde::Serialize;

use crate::changes::fact::Fact;
use crate::changes::facts::{category_facts, differs_in_final_name, term_facts};
use crate::items::writes::Pair;
use crate::taxonomy::{Category, Term};

/// A kind of change. The names are published (docs/decisions/0021-changes.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// Only the later version has it.
    Added,
    /// Only the earlier version has it.
    Removed,
    /// Its name differs in a culture, or a culture was added or removed.
    Renamed,
    /// The parent or the category of a term differs.
    Moved,
    /// The later version deprecates it.
    Deprecated,
    /// The later version no longer deprecates it.
    Restored,
    /// Another field differs: [`NodeChange::fields`] names it.
    Changed,
    /// The FinalName of a term in the default culture differs, for whatever reason.
    FinalName,
}

/// The change of a category or term between two versions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeChange {
    /// The kinds of its change, in the order of the enum; empty where the versions are equal in it.
    pub kinds: Vec<ChangeKind>,
    /// The fields that differ beside names, place and deprecation, ascending, by their names in the file.
    pub fields: Vec<String>,
}

/// The field of a [`Fact::PathChanged`].
pub(crate) const PATH: &str = "path";

impl NodeChange {
    /// Compares a category of two versions; none stands for a version without it.
    pub fn of_category(old: Option<Category<'_>>, new: Option<Category<'_>>) -> Self {
        match (old, new) {
            (Some(old), Some(new)) => Self::of_facts(&category_facts(Pair::Kept(old, new)), false),
            (old, new) => Self::of_presence(old.is_some(), new.is_some()),
        }
    }

    /// Compares a term of two versions; none stands for a version without it.
    pub fn of_term(old: Option<Term<'_>>, new: Option<Term<'_>>) -> Self {
        match (old, new) {
            (Some(old), Some(new)) => {
                let facts = term_facts(Pair::Kept(old, new));
                Self::of_facts(&facts, differs_in_final_name(old, new))
            }
            (old, new) => Self::of_presence(old.is_some(), new.is_some()),
        }
    }

    /// Returns whether the versions are equal in it.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    fn of_presence(was: bool, is: bool) -> Self {
        let kind = match (was, is) {
            (false, true) => Some(ChangeKind::Added),
            (true, false) => Some(ChangeKind::Removed),
            _ => None,
        };
        Self {
            kinds: kind.into_iter().collect(),
            fields: Vec::new(),
        }
    }

    fn of_facts(facts: &[Fact], is_final_name: bool) -> Self {
        let kinds = facts.iter().map(|fact| match fact {
            Fact::Renamed { .. } => ChangeKind::Renamed,
            Fact::TermMoved { .. } => ChangeKind::Moved,
            Fact::Deprecated { .. } => ChangeKind::Deprecated,
            Fact::Reinstated { .. } => ChangeKind::Restored,
            _ => ChangeKind::Changed,
        });
        let kinds: BTreeSet<ChangeKind> = kinds
            .chain(is_final_name.then_some(ChangeKind::FinalName))
            .collect();
        let fields: BTreeSet<&str> = facts.iter().filter_map(field).collect();
        Self {
            kinds: kinds.into_iter().collect(),
            fields: fields.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Returns the field that a fact changes, other than names, position and deprecation.
fn field(fact: &Fact) -> Option<&str> {
    match fact {
        Fact::PathChanged { .. } => Some(PATH),
        Fact::Changed { field, .. } => Some(field),
        _ => None,
    }
}
