//! FinalNames and whole paths, which a stored term implies without storing them. They are written where they are used, piece by piece.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use crate::stored::{ListedTerm, StoredPath, StoredTerm};

/// `{category name}:{term name}`.
#[derive(Debug, Clone, Copy)]
pub struct FinalName<'a> {
    /// The category's name.
    pub category: &'a str,
    /// The term's name.
    pub term: &'a str,
}

impl fmt::Display for FinalName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.category)?;
        f.write_str(":")?;
        f.write_str(self.term)
    }
}

impl Serialize for FinalName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The whole path of a term or of one of its ancestors.
#[derive(Debug, Clone, Copy)]
pub struct FullPath<'a> {
    term: &'a StoredTerm,
    /// 0 for the term itself, 1 for its parent.
    level: usize,
}

impl fmt::Display for FullPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term.stored_path(self.level) {
            Some(StoredPath::Whole(path)) => f.write_str(path),
            Some(StoredPath::Below(rest)) => {
                let above = Self {
                    level: self.level + 1,
                    ..*self
                };
                above.fmt(f)?;
                f.write_str(rest)
            }
            None if self.level > self.term.lineage.len() => {
                f.write_str(self.term.category_path.as_deref().unwrap_or_default())
            }
            None => Ok(()),
        }
    }
}

impl Serialize for FullPath<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl StoredTerm {
    /// The category's name. It is the beginning of the FinalName.
    #[must_use]
    pub fn category_name(&self) -> &str {
        let category = self.final_name.strip_suffix(self.name.as_str());
        category
            .and_then(|category| category.strip_suffix(':'))
            .unwrap_or_default()
    }

    /// The FinalName of an ancestor.
    #[must_use]
    pub fn final_name_of<'a>(&'a self, name: &'a str) -> FinalName<'a> {
        FinalName {
            category: self.category_name(),
            term: name,
        }
    }

    /// 1 for a top term.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.lineage.len() + 1
    }

    /// The whole path of the term (level 0) or of an ancestor (1 is the parent).
    #[must_use]
    pub fn full_path(&self, level: usize) -> Option<FullPath<'_>> {
        self.stored_path(level).map(|_| FullPath { term: self, level })
    }

    fn stored_path(&self, level: usize) -> Option<&StoredPath> {
        match level.checked_sub(1) {
            None => self.path.as_ref(),
            Some(above) => self.lineage.get(above)?.path.as_ref(),
        }
    }
}

impl ListedTerm {
    /// The whole path, given that of the parent or, for a top term, of the category.
    #[must_use]
    pub fn full_path(&self, above: Option<&str>) -> Option<String> {
        Some(match self.path.as_ref()? {
            StoredPath::Whole(path) => path.clone(),
            StoredPath::Below(rest) => format!("{}{rest}", above.unwrap_or_default()),
        })
    }
}
