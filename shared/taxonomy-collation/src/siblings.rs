//! The keys of siblings for the readers of a culture.

use taxonomy_keys::Culture;
use taxonomy_model::{Node, SiblingKeys, Taxonomy};

use crate::Collation;

struct Keys {
    /// The cultures in which these readers take a name.
    order: Vec<Culture>,
    language: Collation,
    /// The order of a list in which every node has a sort key: it is of no language, so that codes have one order in all cultures.
    root: Collation,
}

/// Returns the keys by which the siblings of a taxonomy are sorted for the readers of a culture: a node by its sort key, else by the name that they
/// are shown.
pub fn sibling_keys(taxonomy: &Taxonomy, culture: &Culture) -> Box<dyn SiblingKeys> {
    Box::new(Keys {
        order: taxonomy.order(culture),
        language: Collation::of_culture(culture),
        root: Collation::root(),
    })
}

impl SiblingKeys for Keys {
    fn key(&self, node: Node<'_>, all_have_sort_keys: bool) -> Vec<u8> {
        let collation = match all_have_sort_keys {
            true => &self.root,
            false => &self.language,
        };
        match &node.details().sort_key {
            Some(sort_key) => collation.key(sort_key),
            None => collation.key(node.name_by(&self.order).name),
        }
    }
}
