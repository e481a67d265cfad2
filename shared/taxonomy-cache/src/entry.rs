//! What is kept, by name.

use std::fmt;

use taxonomy_keys::{CategoryId, List, Place};
use taxonomy_model::Hash;
use taxonomy_store::TermItem;

use crate::view::{View, ViewKey};

/// An entry of a view. The order is the one in which entries are claimed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    view: ViewKey,
    pub(crate) entry: Entry,
}

/// A question, small enough to be kept by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Entry {
    /// A term in one culture, with its category and its ancestors.
    Term(TermItem),
    /// A category.
    Category(CategoryId),
    /// A page of a list, after a place in it.
    Page {
        list: List,
        limit: u16,
        after: Option<Place>,
    },
}

impl Entry {
    /// Rules 4 and 6: whether the index answers it.
    pub(crate) fn is_of_index(&self) -> bool {
        matches!(self, Self::Page { .. })
    }

    pub(crate) fn term(&self) -> Option<&TermItem> {
        match self {
            Self::Term(item) => Some(item),
            _ => None,
        }
    }

    pub(crate) fn of(self, view: &View) -> Key {
        Key {
            view: view.key().kept(),
            entry: self,
        }
    }

    /// Bytes of it outside of itself.
    pub(crate) fn heap(&self) -> usize {
        match self {
            Self::Category(_) => 0,
            Self::Term(item) => item.culture.as_ref().map_or(0, |culture| culture.as_str().len()),
            Self::Page { after, .. } => after.as_ref().map_or(0, |place| place.to_string().len()),
        }
    }
}

/// The name in the second tier. These names are its storage format.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Term(TermItem { id, culture: None }) => write!(f, "term:{id}"),
            Self::Term(TermItem {
                id,
                culture: Some(culture),
            }) => write!(f, "term:{id}:{}", culture.as_str()),
            Self::Category(id) => write!(f, "category:{id}"),
            Self::Page { list, limit, after } => {
                write!(f, "{list}:{limit}")?;
                // A place is any text of up to a kilobyte.
                after.as_ref().map_or(Ok(()), |place| {
                    write!(f, ":{}", Hash::of(place.to_string().as_bytes()))
                })
            }
        }
    }
}
