//! The name of a category, whose item has those of all cultures.

use taxonomy_keys::Culture;
use taxonomy_model::stored::StoredCategory;

/// The name of a category in the best culture.
pub(crate) struct CategoryNamed<'a> {
    pub(crate) culture: &'a Culture,
    pub(crate) name: &'a str,
    pub(crate) path: Option<&'a str>,
}

impl<'a> CategoryNamed<'a> {
    /// Returns the name in the first culture of `order` in which the category has one. A removed category may lack the default culture of a later
    /// version: it answers in its own.
    pub(crate) fn new(category: &'a StoredCategory, order: &[Culture]) -> Self {
        let wanted = order.iter().take_while(|wanted| **wanted != category.culture);
        let mut best = wanted.filter_map(|wanted| category.names.get_key_value(wanted));
        match best.next() {
            Some((culture, stored)) => Self {
                culture,
                name: &stored.name,
                path: stored.path.as_deref(),
            },
            None => Self {
                culture: &category.culture,
                name: &category.name,
                path: category.path.as_deref(),
            },
        }
    }
}
