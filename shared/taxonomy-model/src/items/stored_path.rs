//! The stored form of a path: the part that it adds to the path of the parent.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The stored path of a term. Most paths begin with the path of the parent, or of the category for a top term; storing them whole takes a
/// third of a large taxonomy.
///
/// Stored as a string if it is whole, and as a list of one string if it continues the path of the parent: `"sector/it"`, `["/it"]`. A path that
/// is equal to the parent's is whole, since an empty string is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredPath {
    /// The whole path.
    Whole(String),
    /// The part after the path of the parent.
    Below(String),
}

impl StoredPath {
    /// Returns the stored form of `path` under the path `above`.
    pub fn new(path: &str, above: Option<&str>) -> Self {
        match above.and_then(|above| path.strip_prefix(above)) {
            Some(rest) if !rest.is_empty() => Self::Below(rest.to_owned()),
            _ => Self::Whole(path.to_owned()),
        }
    }

    /// Returns the whole path, given the path of the parent.
    pub fn below(&self, above: Option<&str>) -> String {
        match self {
            Self::Whole(path) => path.clone(),
            Self::Below(rest) => [above.unwrap_or_default(), rest].concat(),
        }
    }
}

impl Serialize for StoredPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(path) => path.serialize(serializer),
            Self::Below(rest) => [rest].serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StoredPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PathVisitor)
    }
}

struct PathVisitor;

impl<'de> Visitor<'de> for PathVisitor {
    type Value = StoredPath;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or a list of what follows the path above")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<StoredPath, E> {
        Ok(StoredPath::Whole(path.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<StoredPath, A::Error> {
        let rest = list.next_element()?;
        let rest = rest.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        Ok(StoredPath::Below(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_stored_by_what_it_adds_if_it_adds_something() {
        let stored = |path, above| serde_json::to_string(&StoredPath::new(path, above)).unwrap();
        assert_eq!(stored("sector/it", Some("sector")), r#"["/it"]"#);
        assert_eq!(stored("sector", Some("sector")), r#""sector""#);
        assert_eq!(stored("it", Some("sector")), r#""it""#);
        assert_eq!(stored("it", None), r#""it""#);
    }
}
