//! Plain code over maps of this process: the oracle, and the upper bound of what is possible.

use std::collections::HashMap;
use std::error::Error;

use crate::names;
use crate::question::{Answer, HITS, Kind, Question, Store, Way};
use crate::rows::{Row, Rows};

/// Every term in a map.
pub struct Memory {
    rows: Rows,
    /// Of each word in lower case, the terms with it.
    words: HashMap<String, Vec<u64>>,
}

const WAYS: &[Way] = &[
    Way { kind: Kind::Term, name: "map of terms, parents one after the other", requests: "0" },
    Way { kind: Kind::Batch, name: "map of terms, parents one after the other", requests: "0" },
];

impl Memory {
    pub fn load(rows: &Rows) -> Self {
        let mut words: HashMap<String, Vec<u64>> = HashMap::new();
        for row in &rows.terms {
            for word in words_of(&row.name) {
                words.entry(word).or_default().push(row.id);
            }
        }
        let rows = rows.clone();
        Self { rows, words }
    }

    /// The answer to a question, by plain code.
    pub fn expected(&self, question: &Question) -> Answer {
        match question {
            Question::Term(id) => self.term(*id),
            Question::Batch(ids) => ids.iter().flat_map(|id| self.term(*id)).collect(),
            Question::Search(prefix) => {
                let words = self.words.iter().filter(|(word, _)| word.starts_with(prefix.as_str()));
                let mut found: Vec<&Row> = words.flat_map(|(_, ids)| ids).filter_map(|id| self.rows.term(*id)).collect();
                found.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
                found.dedup_by_key(|row| row.id);
                found.into_iter().take(HITS).map(|row| row.final_name.clone()).collect()
            }
        }
    }

    fn term(&self, id: u64) -> Answer {
        let Some(row) = self.rows.term(id) else { return Vec::new() };
        let mut ids = vec![id];
        let mut above = row.parent;
        while let Some(parent) = above {
            ids.push(parent);
            above = self.rows.term(parent).and_then(|row| row.parent);
        }
        names(&self.rows, &ids)
    }
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
