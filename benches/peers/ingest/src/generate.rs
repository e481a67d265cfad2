//! A generated taxonomy in the input format of the service, written term by term: the same shape and seed give the same bytes.

use std::io::{self, Write};

use fastrand::Rng;

use crate::words::{CULTURES, words};

/// Levels of terms of a tree.
const LEVELS: u32 = 6;
/// Distinguishes the generated names from those of another run of the generator.
const SEED: u64 = 0x7461_786f_6e6f_6d79;
/// Every so many terms have another default name in the second version.
const RENAMED: u64 = 100;

/// The arrangement of the terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// Categories of equal size, each a tree of six levels.
    Tree,
    /// One category, with all terms directly below it.
    Flat,
}

impl Arrangement {
    /// Returns the name in the results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Flat => "flat",
        }
    }
}

/// A generated taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generated {
    /// The number of its terms.
    pub terms: u64,
    /// Their arrangement.
    pub arrangement: Arrangement,
    /// The number of cultures in which each term has a name, at most five.
    pub cultures: usize,
    /// 1, or 2: the same with another default name for every hundredth term.
    pub version: u64,
}

impl Generated {
    /// Returns a tree in five cultures.
    pub fn tree(terms: u64) -> Self {
        Self {
            terms,
            arrangement: Arrangement::Tree,
            cultures: CULTURES.len(),
            version: 1,
        }
    }

    /// Writes the file.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let categories = self.categories();
        let mut written = 0;
        write!(out, r#"{{"defaultCulture":"{}","categories":["#, CULTURES[0])?;
        for category in 1..=categories {
            // The last category has what the division leaves over.
            let left = self.terms - written;
            let terms = if category == categories {
                left
            } else {
                self.terms / categories
            };
            let comma = if category == 1 { "" } else { "," };
            write!(out, r#"{comma}{{"id":{category},"#)?;
            let path = self.names(out, category, "")?;
            let mut subtree = Subtree {
                generated: self,
                first: categories + written,
                terms,
                width: self.width(terms),
            };
            subtree.children(out, "terms", 0, &path)?;
            out.write_all(b"}")?;
            written += terms;
        }
        out.write_all(b"]}")
    }

    fn categories(&self) -> u64 {
        match self.arrangement {
            Arrangement::Tree => (self.terms.isqrt() / 10).max(1),
            Arrangement::Flat => 1,
        }
    }

    /// Returns the number of children of a node, so that the terms of a category fit into the levels.
    fn width(&self, terms: u64) -> u64 {
        let holds = |width: u64| (1..=LEVELS).map(|level| width.pow(level)).sum::<u64>() >= terms;
        match self.arrangement {
            Arrangement::Tree => (1..=1000).find(|width| holds(*width)).unwrap_or(1000),
            Arrangement::Flat => terms,
        }
    }

    /// Writes the names of a node, and returns its path in the default culture.
    fn names(&self, out: &mut impl Write, id: u64, above: &str) -> io::Result<String> {
        let mut path = String::new();
        out.write_all(br#""names":["#)?;
        for (place, culture) in CULTURES.iter().take(self.cultures).enumerate() {
            let name = self.name(id, place);
            if place == 0 {
                let own = name.split(' ').next().unwrap_or_default().to_lowercase();
                let slash = if above.is_empty() { "" } else { "/" };
                path = format!("{above}{slash}{own}-{id}");
                write!(
                    out,
                    r#"{{"culture":"{culture}","name":"{name}","path":"{path}"}}"#
                )?;
            } else {
                write!(out, r#",{{"culture":"{culture}","name":"{name}"}}"#)?;
            }
        }
        out.write_all(b"]")?;
        Ok(path)
    }

    /// Returns a name of one to four words.
    fn name(&self, id: u64, place: usize) -> String {
        let renamed = self.version > 1 && place == 0 && id.is_multiple_of(RENAMED);
        let seed = SEED ^ (id << 8) ^ ((place as u64) << 4) ^ u64::from(renamed);
        let (mut rng, words) = (Rng::with_seed(seed), words(place));
        let mut name = String::new();
        for _ in 0..rng.u8(1..=4) {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(words[rng.usize(..words.len())]);
        }
        name
    }
}

/// The terms of one category, numbered from 1 level by level, so that parents and children follow from the numbers.
struct Subtree<'a> {
    generated: &'a Generated,
    first: u64,
    terms: u64,
    width: u64,
}

impl Subtree<'_> {
    /// Writes the children of a term; 0 is the category.
    fn children(&mut self, out: &mut impl Write, field: &str, parent: u64, path: &str) -> io::Result<()> {
        let from = parent * self.width + 1;
        let to = (from + self.width - 1).min(self.terms);
        if from > to {
            return Ok(());
        }
        write!(out, r#","{field}":["#)?;
        for number in from..=to {
            let id = self.first + number;
            let comma = if number == from { "" } else { "," };
            write!(out, r#"{comma}{{"id":{id},"#)?;
            let own = self.generated.names(out, id, path)?;
            self.children(out, "children", number, &own)?;
            out.write_all(b"}")?;
        }
        out.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::service;

    fn file(generated: Generated) -> Vec<u8> {
        let mut bytes = Vec::new();
        generated.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_service_takes_a_tree_of_six_levels_in_five_cultures() {
        let parsed = service(&file(Generated::tree(10_000))).unwrap();
        let same_names = "duplicate-sibling-name";
        assert!(
            parsed
                .report
                .issues
                .iter()
                .all(|issue| issue.code.as_str() == same_names)
        );
        let taxonomy = parsed.taxonomy;
        assert_eq!(
            (taxonomy.terms().len(), taxonomy.categories().len()),
            (10_000, 10)
        );
        assert_eq!(taxonomy.terms().map(|term| term.depth()).max(), Some(6));
        assert!(taxonomy.terms().all(|term| term.node.names().count() == 5));
    }

    #[test]
    fn a_flat_list_has_one_parent() {
        let flat = Generated {
            arrangement: Arrangement::Flat,
            cultures: 1,
            ..Generated::tree(1_000)
        };
        let taxonomy = service(&file(flat)).unwrap().taxonomy;
        assert!(taxonomy.terms().all(|term| term.parent().is_none()));
        assert_eq!((taxonomy.terms().len(), taxonomy.categories().len()), (1_000, 1));
    }

    #[test]
    fn the_same_shape_gives_the_same_bytes_and_a_second_version_other_names() {
        let first = Generated::tree(1_000);
        assert_eq!(file(first), file(first));
        let second = Generated { version: 2, ..first };
        let (old, new) = (service(&file(first)).unwrap(), service(&file(second)).unwrap());
        let (old, new) = (old.taxonomy, new.taxonomy);
        let renamed = old.terms().zip(new.terms()).filter(|(old, new)| {
            assert_eq!(old.id(), new.id());
            old.node.default_name().name != new.node.default_name().name
        });
        let renamed: Vec<u64> = renamed.map(|(old, _)| old.id().get()).collect();
        assert!((8..=10).contains(&renamed.len()), "{renamed:?}");
        assert!(renamed.iter().all(|id| id.is_multiple_of(RENAMED)));
    }
}
