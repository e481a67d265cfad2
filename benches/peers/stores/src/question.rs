//! The questions, and the stores that answer them.

use std::error::Error;

use crate::rows::Rows;

/// FinalNames, in the order that the question requires.
pub type Answer = Vec<String>;

/// Terms in one batch.
const BATCH: usize = 100;
/// Hits of one search.
pub const HITS: usize = 10;
/// Batches and searches are so many times fewer than terms, because each takes longer: a search up to a second.
const FEWER: usize = 40;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Term,
    Batch,
    Search,
    AsOf,
}

/// One question.
#[derive(Debug, Clone)]
pub enum Question {
    /// A term and its ancestors, nearest first.
    Term(u64),
    /// A hundred terms, each with its ancestors.
    Batch(Vec<u64>),
    /// The first terms, by name, that have a word which begins with this text.
    Search(String),
    /// A term and its ancestors, as they were in the version before.
    AsOf(u64),
}

/// A way in which a store answers a kind of question.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub kind: Kind,
    pub name: &'static str,
    /// Requests to the store for one answer, where a term has five ancestors; of the service the requests are counted.
    pub requests: f64,
    /// The answer is compared with that of plain code. A search that ranks otherwise has hits of its own, which must match.
    pub ranks: Ranks,
}

/// The order of the hits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranks {
    /// By name.
    ByName,
    /// By a rank of the store's own.
    ByItsOwn,
}

/// Requests and read units of one answer.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub requests: f64,
    pub units: f64,
}

/// A store with the data in it.
pub trait Store {
    fn name(&self) -> &'static str;
    fn ways(&self) -> &'static [Way];
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>>;
    /// Returns what the answers since the last call took, divided by their number; `None` for a store that counts nothing.
    fn take_cost(&mut self, answers: usize) -> Option<Cost> {
        let _ = answers;
        None
    }
}

impl Way {
    /// A way whose answers are those of plain code.
    pub const fn new(kind: Kind, name: &'static str, requests: f64) -> Self {
        Self {
            kind,
            name,
            requests,
            ranks: Ranks::ByName,
        }
    }

    /// A search with a rank of its own.
    pub const fn ranked(name: &'static str, requests: f64) -> Self {
        Self {
            kind: Kind::Search,
            name,
            requests,
            ranks: Ranks::ByItsOwn,
        }
    }
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::Batch => "batch",
            Self::Search => "search",
            Self::AsOf => "as-of",
        }
    }
}

impl Question {
    /// Draws so many questions for a term, as many for a term of the version before, and a fortieth of that of each other kind.
    pub fn draw(rows: &Rows, before: &Rows, count: usize, seed: u64) -> Vec<Self> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut any = |rows: &Rows| rows.terms[random.usize(..rows.terms.len())].clone();
        let mut questions: Vec<Self> = (0..count).map(|_| Self::Term(any(rows).id)).collect();
        questions.extend((0..count).map(|_| Self::AsOf(any(before).id)));
        questions.extend((0..count / FEWER).map(|_| Self::Batch(distinct(|| any(rows).id))));
        questions.extend((0..count / FEWER).map(|_| Self::Search(typed(&any(rows).name))));
        questions
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Term(_) => Kind::Term,
            Self::Batch(_) => Kind::Batch,
            Self::Search(_) => Kind::Search,
            Self::AsOf(_) => Kind::AsOf,
        }
    }
}

/// The beginning of the longest word of a name, in lower case.
fn typed(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let longest = words.max_by_key(|word| word.chars().count()).unwrap_or_default();
    longest.chars().take(5).collect::<String>().to_lowercase()
}

/// Returns distinct ids, fewer than a batch where a taxonomy is smaller than that.
fn distinct(mut any: impl FnMut() -> u64) -> Vec<u64> {
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..20 * BATCH {
        if ids.len() < BATCH {
            ids.insert(any());
        }
    }
    ids.into_iter().collect()
}
