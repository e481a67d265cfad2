//! The keys of entries.

use std::fmt;

use taxonomy_keys::CategoryId;
use taxonomy_store::TermItem;

use crate::view::{View, ViewKey};

/// A query of a view. The order is the order in which entries are claimed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    view: ViewKey,
    pub(crate) entry: Query,
}

/// A query, small enough to be a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Query {
    /// A term in one culture, with its category and its ancestors.
    Term(TermItem),
    /// A category.
    Category(CategoryId),
}

impl Query {
    pub(crate) fn term(&self) -> Option<&TermItem> {
        match self {
            Self::Term(item) => Some(item),
            Self::Category(_) => None,
        }
    }

    pub(crate) fn of(self, view: &View) -> Key {
        Key {
            view: view.key().clone(),
            entry: self,
        }
    }

    /// Returns its bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        match self {
            Self::Category(_) => 0,
            Self::Term(item) => item.culture.as_ref().map_or(0, |culture| culture.as_str().len()),
        }
    }
}

/// The name of the entry in the second tier. These names are the storage format.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Term(TermItem { id, culture: None }) => write!(f, "term:{id}"),
            Self::Term(TermItem {
                id,
                culture: Some(culture),
            }) => write!(f, "term:{id}:{}", culture.as_str()),
            Self::Category(id) => write!(f, "category:{id}"),
        }
    }
}
