//! Plain code over maps of this process: the oracle, and the upper bound of what is possible.

use std::collections::HashMap;
use std::error::Error;

use crate::question::{Answer, HITS, Kind, Question, Store, Way};
use crate::rows::{Row, Rows};

/// Every term of two versions in a map.
pub struct Memory {
    rows: Rows,
    before: Rows,
    /// Of each word in lower case, the terms with it.
    words: HashMap<String, Vec<u64>>,
}

const PARENTS: &str = "map of terms, parents one after the other";
const WAYS: &[Way] = &[
    Way::new(Kind::Term, PARENTS, 0.0),
    Way::new(Kind::Batch, PARENTS, 0.0),
    Way::new(Kind::AsOf, PARENTS, 0.0),
];

impl Memory {
    pub fn load(rows: &Rows, before: &Rows) -> Self {
        let mut words: HashMap<String, Vec<u64>> = HashMap::new();
        for row in &rows.terms {
            for word in words_of(&row.name) {
                words.entry(word).or_default().push(row.id);
            }
        }
        let (rows, before) = (rows.clone(), before.clone());
        Self { rows, before, words }
    }

    /// The answer to a question, by plain code.
    pub fn expected(&self, question: &Question) -> Answer {
        match question {
            Question::Term(id) => with_ancestors(&self.rows, *id),
            Question::AsOf(id) => with_ancestors(&self.before, *id),
            Question::Batch(ids) => ids
                .iter()
                .flat_map(|id| with_ancestors(&self.rows, *id))
                .collect(),
            Question::Search(prefix) => self.matches(prefix).into_iter().take(HITS).collect(),
        }
    }

    /// Returns the FinalNames of all terms that have a word which begins with a text, by name.
    pub fn matches(&self, prefix: &str) -> Answer {
        let words = self.words.iter().filter(|(word, _)| word.starts_with(prefix));
        let mut found: Vec<&Row> = words
            .flat_map(|(_, ids)| ids)
            .filter_map(|id| self.rows.term(*id))
            .collect();
        found.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        found.dedup_by_key(|row| row.id);
        found.into_iter().map(|row| row.final_name.clone()).collect()
    }
}

/// Returns the FinalNames of a term and of its ancestors, nearest first.
fn with_ancestors(rows: &Rows, id: u64) -> Answer {
    let lineage = std::iter::successors(rows.term(id), |row| rows.term(row.parent?));
    lineage.map(|row| row.final_name.clone()).collect()
}

impl Store for Memory {
    fn name(&self) -> &'static str {
        "a map in memory"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, _: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        Ok(self.expected(question))
    }
}

/// The words of a name, in lower case.
pub fn words_of(name: &str) -> impl Iterator<Item = String> + '_ {
    let words = name.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}
