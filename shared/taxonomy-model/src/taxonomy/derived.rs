//! FinalNames and whole paths, which follow from a stored term and are not stored.

use crate::items::stored::StoredTerm;

/// `{category name}:{term name}`.
pub fn final_name(category: &str, term: &str) -> String {
    [category, ":", term].concat()
}

impl StoredTerm {
    /// Returns the category's name, the beginning of the FinalName.
    pub fn category_name(&self) -> &str {
        let category = self.final_name.strip_suffix(self.name.as_str());
        category
            .and_then(|category| category.strip_suffix(':'))
            .unwrap_or_default()
    }

    /// Returns the depth: 1 for a top term.
    pub fn depth(&self) -> usize {
        self.lineage.len() + 1
    }

    /// Returns the whole paths of the term and of its ancestors, nearest first.
    pub fn paths(&self) -> Vec<Option<String>> {
        let ancestors = self.lineage.iter().rev().map(|entry| entry.path.as_ref());
        let mut paths: Vec<Option<String>> = Vec::with_capacity(self.depth());
        for path in ancestors.chain([self.path.as_ref()]) {
            let above = match paths.last() {
                Some(above) => above.as_deref(),
                None => self.category_path.as_deref(),
            };
            let path = path.map(|path| path.below(above));
            paths.push(path);
        }
        paths.reverse();
        paths
    }
}
