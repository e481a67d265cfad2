//! Which of the names of one item answers.

use std::collections::BTreeMap;

use taxonomy_keys::Culture;
use taxonomy_model::stored::{StoredCategory, StoredName};

/// The best of `names` by the order that terms are answered in; none where the name in the item's own culture is better than all.
/// All of them lie in one item, so none is missed while the default culture changes.
pub(crate) fn best<'a, T>(
    own: &Culture,
    names: &'a BTreeMap<Culture, T>,
    order: &[Culture],
) -> Option<(&'a Culture, &'a T)> {
    let wanted = order.iter().take_while(|wanted| *wanted != own);
    wanted.filter_map(|wanted| names.get_key_value(wanted)).next()
}

/// The name of a category in the culture that answers.
pub(crate) struct CategoryNamed<'a> {
    pub(crate) culture: &'a Culture,
    pub(crate) name: &'a str,
    pub(crate) path: Option<&'a str>,
}

impl<'a> CategoryNamed<'a> {
    /// The best of the name in the category's own culture and of `names`.
    pub(crate) fn best(self, names: &'a BTreeMap<Culture, StoredName>, order: &[Culture]) -> Self {
        let best = best(self.culture, names, order);
        best.map_or(self, |(culture, stored)| Self {
            culture,
            name: &stored.name,
            path: stored.path.as_deref(),
        })
    }

    /// The best name of a category.
    pub(crate) fn of(category: &'a StoredCategory, order: &[Culture]) -> Self {
        let own = Self {
            culture: &category.culture,
            name: &category.name,
            path: category.path.as_deref(),
        };
        own.best(&category.names, order)
    }
}
