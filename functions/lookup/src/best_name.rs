//! The choice of the best name within one item.

use std::collections::BTreeMap;

use taxonomy_keys::Culture;
use taxonomy_model::stored::{StoredCategory, StoredName};

/// Returns the best of `names` by the order of cultures of terms; none where the name in the item's own culture is better than all. One item holds
/// all of them, so none is missed while the default culture changes.
pub(crate) fn best<'a, T>(
    own: &Culture,
    names: &'a BTreeMap<Culture, T>,
    order: &[Culture],
) -> Option<(&'a Culture, &'a T)> {
    let wanted = order.iter().take_while(|wanted| *wanted != own);
    wanted.filter_map(|wanted| names.get_key_value(wanted)).next()
}

/// The name of a category in the best culture.
pub(crate) struct CategoryNamed<'a> {
    pub(crate) culture: &'a Culture,
    pub(crate) name: &'a str,
    pub(crate) path: Option<&'a str>,
}

impl<'a> CategoryNamed<'a> {
    /// Returns the best of the name in the category's own culture and of `names`.
    pub(crate) fn best(self, names: &'a BTreeMap<Culture, StoredName>, order: &[Culture]) -> Self {
        let best = best(self.culture, names, order);
        best.map_or(self, |(culture, stored)| Self {
            culture,
            name: &stored.name,
            path: stored.path.as_deref(),
        })
    }

    /// Returns the best name of a category.
    pub(crate) fn of(category: &'a StoredCategory, order: &[Culture]) -> Self {
        let own = Self {
            culture: &category.culture,
            name: &category.name,
            path: category.path.as_deref(),
        };
        own.best(&category.names, order)
    }
}
