//! Reading a file in three ways: by the service, by serde_json into structs that own their texts, and by serde_json into `Value`.

use serde::Deserialize;
use serde_json::Value;
use taxonomy_model::{Defaults, Limits, Parsed};

use crate::failure::Failure;

/// A way of reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The file is read from the disk and not parsed, for differences.
    Nothing,
    /// The parser of the service, with every check.
    Service,
    /// serde_json into structs without any check.
    Structs,
    /// serde_json into `serde_json::Value`.
    Value,
}

impl Reader {
    /// Those that parse.
    pub const PARSERS: [Self; 3] = [Self::Service, Self::Structs, Self::Value];

    /// Returns the name in arguments and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Service => "service",
            Self::Structs => "structs",
            Self::Value => "Value",
        }
    }

    /// Returns the reader with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::PARSERS.into_iter().chain([Self::Nothing]);
        all.find(|reader| reader.name() == name)
    }

    /// Parses a file and returns the number of its terms. The result is not freed, so that freeing is not counted.
    pub fn read(self, bytes: &[u8]) -> Result<u64, Failure> {
        match self {
            Self::Nothing => Ok(0),
            Self::Service => {
                let parsed = std::mem::ManuallyDrop::new(service(bytes)?);
                Ok(parsed.taxonomy.terms().len() as u64)
            }
            Self::Structs => {
                let file: File = serde_json::from_slice(bytes)?;
                let file = std::mem::ManuallyDrop::new(file);
                Ok(file
                    .categories
                    .iter()
                    .map(|category| count(&category.terms))
                    .sum())
            }
            Self::Value => {
                let file: Value = serde_json::from_slice(bytes)?;
                let file = std::mem::ManuallyDrop::new(file);
                let categories = file["categories"].as_array().ok_or("no categories")?;
                Ok(categories.iter().map(|category| below(category, "terms")).sum())
            }
        }
    }
}

/// Parses and validates a file as the projector does.
pub fn service(bytes: &[u8]) -> Result<Parsed, Failure> {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse()?,
        fallback_chain: Vec::new(),
    };
    taxonomy_model::parse(bytes, &defaults, Limits::default()).map_err(|report| {
        let issue = report.first_error().map(|issue| issue.message.clone());
        format!("the file is refused: {}", issue.unwrap_or_default()).into()
    })
}

/// The file as a program would declare it that knows the format: every field that a file of the benchmark has, with texts of its
/// own.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read for the sake of reading")]
struct File {
    default_culture: Option<String>,
    categories: Vec<Category>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Category {
    id: u64,
    name: Option<String>,
    #[serde(default)]
    names: Vec<Name>,
    #[serde(default)]
    terms: Vec<Term>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Term {
    id: u64,
    name: Option<String>,
    #[serde(default)]
    names: Vec<Name>,
    notation: Option<String>,
    sort_key: Option<String>,
    metadata: Option<Value>,
    #[serde(default)]
    deprecated: bool,
    #[serde(default)]
    children: Vec<Term>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "read for the sake of reading")]
struct Name {
    culture: String,
    name: String,
    path: Option<String>,
}

fn count(terms: &[Term]) -> u64 {
    terms.iter().map(|term| 1 + count(&term.children)).sum()
}

fn below(node: &Value, field: &str) -> u64 {
    let terms = node[field].as_array().map(Vec::as_slice).unwrap_or_default();
    terms.iter().map(|term| 1 + below(term, "children")).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Generated;

    #[test]
    fn every_reader_finds_every_term() {
        let mut bytes = Vec::new();
        Generated::tree(2_345).write(&mut bytes).unwrap();
        for reader in Reader::PARSERS {
            assert_eq!(reader.read(&bytes).unwrap(), 2_345, "{}", reader.name());
            assert!(reader.read(&bytes[1..]).is_err(), "{}", reader.name());
        }
    }
}
