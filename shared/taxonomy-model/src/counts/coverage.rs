//! Coverage: how many terms have a name in each culture. Serializes as a JSON object from culture tag to count, ascending by tag.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use taxonomy_keys::Culture;

/// Counts by culture, ascending by tag, each culture once.
///
/// A sorted list instead of a map: a file of a few cultures in each of hundreds of thousands of categories needs a list for each of
/// them, and a tree's nodes would take several times the memory. Clones of a [`Culture`] share its tag.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage(Vec<(Culture, u64)>);

impl Coverage {
    /// Counts one more name in `culture`.
    pub fn add(&mut self, culture: &Culture) {
        match self.0.binary_search_by(|(known, _)| known.cmp(culture)) {
            Ok(at) => self.0[at].1 += 1,
            Err(at) => self.0.insert(at, (culture.clone(), 1)),
        }
    }

    /// Shares the tags of `all`, so that many lists of the same cultures contain each tag once.
    pub(crate) fn share(&mut self, all: &Self) {
        for (culture, _) in &mut self.0 {
            if let Ok(at) = all.0.binary_search_by(|(known, _)| known.cmp(culture)) {
                *culture = all.0[at].0.clone();
            }
        }
    }

    /// Whether no term has a name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each culture with its count, ascending by tag.
    pub fn iter(&self) -> impl Iterator<Item = (&Culture, u64)> {
        self.0.iter().map(|(culture, named)| (culture, *named))
    }
}

impl FromIterator<(Culture, u64)> for Coverage {
    /// Sorts the counts. Of a culture that comes twice the last count stays.
    fn from_iter<I: IntoIterator<Item = (Culture, u64)>>(counts: I) -> Self {
        let counts: BTreeMap<Culture, u64> = counts.into_iter().collect();
        Self(counts.into_iter().collect())
    }
}

impl Serialize for Coverage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(culture, named)| (culture.as_str(), named)))
    }
}

impl<'de> Deserialize<'de> for Coverage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let counts = BTreeMap::<Culture, u64>::deserialize(deserializer)?;
        Ok(Self(counts.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn culture(tag: &str) -> Culture {
        tag.parse().unwrap()
    }

    #[test]
    fn of_a_culture_that_comes_twice_the_last_count_stays() {
        let read: Coverage = serde_json::from_str(r#"{"fr":1,"EN-gb":2,"en-GB":3}"#).unwrap();
        let expect = [(culture("en-GB"), 3), (culture("fr"), 1)];
        assert_eq!(read, expect.into_iter().collect());
        assert!(serde_json::from_str::<Coverage>(r#"{"no culture":1}"#).is_err());
    }
}
