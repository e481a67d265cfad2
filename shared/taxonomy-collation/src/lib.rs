#![doc = include_str!("../README.md")]

mod data;
mod provider;
mod siblings;

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{Collator, CollatorPreferences};
use taxonomy_keys::Culture;

use crate::data::{DATA, Tailoring};
use crate::provider::Provider;

pub use crate::siblings::sibling_keys;

/// The order of texts in a language.
#[derive(Debug)]
pub struct Collation(Collator);

impl Collation {
    /// Returns the order for the readers of a culture, by its language, script and region; that of no language where CLDR knows none of its own.
    ///
    /// ```
    /// use taxonomy_collation::Collation;
    /// let swedish = Collation::of_culture(&"sv-SE".parse().unwrap());
    /// assert!(swedish.key("Zon") < swedish.key("Ål"));
    /// ```
    pub fn of_culture(culture: &Culture) -> Self {
        Self::new(DATA.of_writing(culture.writing()))
    }

    /// Returns the order of no language: that of CLDR's root, with numbers as numbers.
    ///
    /// ```
    /// use taxonomy_collation::Collation;
    /// let root = Collation::root();
    /// assert!(root.key("Ål") < root.key("Zon"));
    /// assert!(root.key("J9") < root.key("J10"));
    /// ```
    pub fn root() -> Self {
        Self::new(DATA.root())
    }

    #[expect(clippy::expect_used, reason = "a test makes every collation of the data")]
    fn new(tailoring: &'static Tailoring) -> Self {
        let mut preferences = CollatorPreferences::default();
        preferences.numeric_ordering = Some(CollationNumericOrdering::True);
        let provider = Provider::new(&DATA, tailoring);
        let collator = Collator::try_new_unstable(&provider, preferences, CollatorOptions::default());
        Self(collator.expect("whole data"))
    }

    /// Returns the key of a text: bytes that compare as the texts do. Texts that differ in nothing that the language orders have equal keys.
    pub fn key(&self, text: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(text.len() * 2);
        let Ok(()) = self.0.as_borrowed().write_sort_key_to(text, &mut key);
        key
    }
}
