//! A part of a taxonomy: some categories and terms, each term with its category and all its ancestors.

use crate::changes::record::{Assembly, InvalidRecord, Record};
use crate::taxonomy::settings::Settings;
use crate::taxonomy::{Category, Taxonomy, Term};
use taxonomy_keys::{CategoryId, TermId};

/// A part of a taxonomy in which every term has its category and all its ancestors.
///
/// It has the invariants of a [`Taxonomy`], but lacks most terms: [`Term::is_leaf`] has no meaning here.
#[derive(Debug, Clone)]
pub struct Fragment(Taxonomy);

impl Fragment {
    /// The settings of the version.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.0.settings()
    }

    /// The category with this id.
    #[must_use]
    pub fn category(&self, id: CategoryId) -> Option<Category<'_>> {
        self.0.category(id)
    }

    /// The term with this id.
    #[must_use]
    pub fn term(&self, id: TermId) -> Option<Term<'_>> {
        self.0.term(id)
    }

    /// Returns the approximate size in memory, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.tree.bytes()
    }
}

/// Collects records into a [`Fragment`]. Records may come in any order; paths take the least memory if ancestors come first.
#[derive(Debug)]
pub struct FragmentBuilder(Assembly);

impl FragmentBuilder {
    /// Creates a builder for records of about `room` bytes of JSON.
    #[must_use]
    pub fn new(room: usize) -> Self {
        Self(Assembly::with_room(room))
    }

    /// Adds a category.
    ///
    /// # Errors
    /// [`InvalidRecord`] if the record is not one of a category.
    pub fn push_category(&mut self, record: Record) -> Result<(), InvalidRecord> {
        self.0.push_category(record)
    }

    /// Adds a term.
    ///
    /// # Errors
    /// [`InvalidRecord`] if the record is not one of a term.
    pub fn push_term(&mut self, record: Record) -> Result<(), InvalidRecord> {
        self.0.push_term(record)
    }

    /// Returns the fragment.
    ///
    /// # Errors
    /// [`InvalidRecord`] if a term lacks its category or an ancestor, or if the records break another rule of a taxonomy.
    pub fn finish(self, settings: Settings) -> Result<Fragment, InvalidRecord> {
        let mut taxonomy = self.0.finish(settings)?;
        taxonomy.tree.shrink_to_fit();
        Ok(Fragment(taxonomy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextBuffer;

    fn record(json: &str) -> Record {
        serde_json::from_str(json).unwrap()
    }

    fn settings() -> Settings {
        Settings {
            default_culture: "en-GB".parse().unwrap(),
            fallback_chain: Vec::new(),
        }
    }

    #[test]
    fn a_fragment_needs_the_lineage_of_its_terms() {
        let category = r#"{"id":1,"names":[["en-GB","A","a"]]}"#;
        let parent = r#"{"id":2,"category":1,"names":[["en-GB","B","a/b"]]}"#;
        let term = r#"{"id":3,"category":1,"parent":2,"names":[["en-GB","C","a/b/c"]]}"#;
        let build = |terms: &[&str]| {
            let mut builder = FragmentBuilder::new(100);
            builder.push_category(record(category)).unwrap();
            for term in terms {
                builder.push_term(record(term)).unwrap();
            }
            builder.finish(settings())
        };
        let fragment = build(&[parent, term]).unwrap();
        let found = fragment.term(TermId::new(3).unwrap()).unwrap();
        assert_eq!(found.node.default_name().path.unwrap().text(), "a/b/c");
        assert_eq!(found.depth(), 2);
        assert!(matches!(build(&[term]), Err(InvalidRecord::Reference(3))));
    }

    /// Only a damaged body has such texts.
    #[test]
    fn texts_that_no_file_may_have_are_refused() {
        let longest = "x".repeat(TextBuffer::LONGEST);
        let build = |name: &str, path: &str| {
            let category = format!(r#"{{"id":1,"names":[["en-GB","{name}","{path}"]]}}"#);
            FragmentBuilder::new(100).push_category(record(&category))
        };
        build(&longest, &longest).unwrap();
        let too_long = format!("{longest}x");
        for (name, path) in [
            (&*too_long, "a"),
            ("A", &too_long),
            (r"A\u0007", "a"),
            ("A", r"a\u0007"),
        ] {
            assert!(
                matches!(build(name, path), Err(InvalidRecord::Text(1))),
                "{path:.10}"
            );
        }
    }

    /// A cache that counts bytes holds fragments, so a fragment must not reserve the memory of a whole taxonomy.
    #[test]
    fn a_small_fragment_takes_little_memory() {
        let mut builder = FragmentBuilder::new(100);
        let category = r#"{"id":1,"names":[["en-GB","A","a"]],"altNames":[["fr-FR","B"]]}"#;
        builder.push_category(record(category)).unwrap();
        let fragment = builder.finish(settings()).unwrap();
        assert!((300..2_000).contains(&fragment.bytes()), "{}", fragment.bytes());
    }
}
