//! The questions, and the ways in which stores answer them.

use crate::rows::Rows;

/// FinalNames, in the order that the question requires.
pub type Answer = Vec<String>;

/// Any failure.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Terms in one batch.
const BATCH: usize = 100;
/// Batches are so many times fewer than terms, because each takes longer.
const FEWER: usize = 40;

/// A kind of question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Term,
    Batch,
    AsOf,
}

/// One question.
#[derive(Debug, Clone)]
pub enum Question {
    /// A term and its ancestors, nearest first.
    Term(u64),
    /// A hundred terms, each with its ancestors.
    Batch(Vec<u64>),
    /// A term and its ancestors, as they were in the version before.
    AsOf(u64),
}

/// A way in which a store answers a kind of question.
#[derive(Clone, Copy)]
pub struct Way {
    pub store: &'static str,
    pub kind: Kind,
    pub name: &'static str,
    /// Of a request to a store of this program: the path before the ids.
    pub path: &'static str,
    /// Reads the FinalNames out of a response of a store of this program.
    pub names: fn(&str) -> Result<Answer, Failure>,
}

/// Ways as a table: store, kind of question, name, path, and what reads the response.
macro_rules! ways {
    ($visible:vis $list:ident: $($store:expr, $kind:ident, $name:expr, $path:expr, $names:expr;)*) => {
        $visible const $list: &[$crate::question::Way] = &[$($crate::question::Way {
            store: $store, kind: $crate::question::Kind::$kind, name: $name, path: $path, names: $names,
        }),*];
    };
}
pub(crate) use ways;

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "term",
            Self::Batch => "batch",
            Self::AsOf => "as-of",
        }
    }
}

impl Question {
    /// Draws so many questions for a term, as many for a term of the version before, and a fortieth of that of batches.
    pub fn draw(rows: &Rows, before: &Rows, count: usize, seed: u64) -> Vec<Self> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut any = |rows: &Rows| rows.terms[random.usize(..rows.terms.len())].id;
        let mut questions: Vec<Self> = (0..count).map(|_| Self::Term(any(rows))).collect();
        questions.extend((0..count).map(|_| Self::AsOf(any(before))));
        let most = BATCH.min(rows.terms.len());
        questions.extend((0..count / FEWER).map(|_| {
            let mut ids = std::collections::BTreeSet::new();
            while ids.len() < most {
                ids.insert(any(rows));
            }
            Self::Batch(ids.into_iter().collect())
        }));
        questions
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::Term(_) => Kind::Term,
            Self::Batch(_) => Kind::Batch,
            Self::AsOf(_) => Kind::AsOf,
        }
    }

    /// Returns the ids with commas between them.
    pub fn ids(&self) -> String {
        match self {
            Self::Term(id) | Self::AsOf(id) => id.to_string(),
            Self::Batch(ids) => ids.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
        }
    }
}
