//! The order of siblings in the language of a culture: CLDR's collation with the tailoring of the language, numbers as numbers
//! (docs/decisions/0018-version-index.md). Of the functions only the projector links it: a version's files have the order of each culture.

use icu_collator::CollatorBorrowed;
use icu_collator::CollatorPreferences;
use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_locale_core::Locale;
use taxonomy_keys::Culture;
use taxonomy_model::{Node, SiblingKeys, Taxonomy};

/// The keys of siblings for the readers of a culture.
#[derive(Debug)]
struct Collation {
    /// The cultures in which these readers take a name.
    order: Vec<Culture>,
    language: CollatorBorrowed<'static>,
    /// The order of a list in which every node has a sort key: it is of no language, so that codes have one order in all cultures.
    root: CollatorBorrowed<'static>,
}

/// Returns the keys by which the siblings of a taxonomy are sorted for the readers of a culture: a node by its sort key, else by the name that they
/// are shown.
pub fn sibling_keys(taxonomy: &Taxonomy, culture: &Culture) -> Box<dyn SiblingKeys> {
    Box::new(Collation {
        order: taxonomy.order(culture),
        language: collator(culture.as_str().parse().ok()),
        root: collator(None),
    })
}

impl SiblingKeys for Collation {
    fn key(&self, node: Node<'_>, all_have_sort_keys: bool) -> Vec<u8> {
        let collator = if all_have_sort_keys {
            &self.root
        } else {
            &self.language
        };
        let text = match &node.details().sort_key {
            Some(sort_key) => sort_key,
            None => node.name_by(&self.order).name,
        };
        let mut key = Vec::new();
        let Ok(()) = collator.write_sort_key_to(text, &mut key);
        key
    }
}

/// Returns the collator of a locale; that of CLDR's root for a tag that names no language, such as `x-..`.
#[expect(clippy::expect_used, reason = "the data of every locale is compiled in")]
fn collator(locale: Option<Locale>) -> CollatorBorrowed<'static> {
    let mut preferences = CollatorPreferences::from(locale.unwrap_or(Locale::UNKNOWN));
    preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    CollatorBorrowed::try_new(preferences, CollatorOptions::default()).expect("compiled data")
}
