//! The questions, and the stores that answer them.

use std::error::Error;

use crate::rows::Rows;

/// FinalNames, in the order that the question asks for.
pub type Answer = Vec<String>;

/// Terms in one batch.
const BATCH: usize = 100;
/// Hits of one search.
pub const HITS: usize = 10;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Term,
    Batch,
    Search,
}

/// One question.
#[derive(Debug, Clone)]
pub enum Question {
    /// A term and its ancestors, nearest first.
    Term(u64),
    /// A hundred terms, each with its ancestors.
    Batch(Vec<u64>),
    /// The first terms, by name, that have a word which begins like this.
    Search(String),
}

/// A way in which a store answers a kind of question.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub kind: Kind,
    pub name: &'static str,
    /// The requests to the store, where a term has five ancestors.
    pub requests: &'static str,
}

/// A store with the data in it.
pub trait Store {
    fn name(&self) -> &'static str;
    fn ways(&self) -> &'static [Way];
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>>;
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::Batch => "batch",
            Self::Search => "search",
        }
    }
}

impl Question {
    /// Draws so many questions of each kind; batches a fiftieth of that.
    pub fn draw(rows: &Rows, count: usize, seed: u64) -> Vec<Self> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut any = || rows.terms[random.usize(..rows.terms.len())].clone();
        let terms = (0..count).map(|_| Self::Term(any().id)).collect::<Vec<_>>();
        let batches = (0..count / 50).map(|_| Self::Batch((0..BATCH).map(|_| any().id).collect())).collect::<Vec<_>>();
        let searches = (0..count / 5)
            .map(|_| {
                let name = any().name;
                let word = name.split(|c: char| !c.is_alphanumeric()).max_by_key(|word| word.len()).unwrap_or_default();
                Self::Search(word.chars().take(5).collect::<String>().to_lowercase())
            })
            .collect::<Vec<_>>();
        [terms, batches, searches].concat()
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Term(_) => Kind::Term,
            Self::Batch(_) => Kind::Batch,
            Self::Search(_) => Kind::Search,
        }
    }
}
