//! Terms and categories by id, equal to those of the table.

use std::collections::HashMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::{CategoryId, Culture, TermId};
use taxonomy_model::stored::{StoredCategory, StoredTerm};

use crate::files::error::VersionError;
use crate::files::version_file::{FileNode, VersionFile};

/// The maximum number of buckets of ids that are read concurrently.
const CONCURRENCY: usize = 8;

impl VersionFile<'_> {
    /// Returns the existing terms out of `ids`, each in the first culture of `order` in which it has a name; the last of `order` is the default
    /// culture. A removed term is returned in its last state.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn terms(
        &self,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, StoredTerm>, VersionError> {
        let mut terms = HashMap::with_capacity(ids.len());
        for (id, node) in self.term_nodes(ids).await? {
            let term = match node.stored_term(order) {
                Some(term) => term,
                None => {
                    let removed = node
                        .block
                        .removed_term(node.ordinal)
                        .map_err(|error| self.damaged(error))?;
                    let (_, term) =
                        removed.ok_or_else(|| self.inconsistent("a term's ordinal is not one of a term"))?;
                    term
                }
            };
            terms.insert(id, term);
        }
        Ok(terms)
    }

    /// Returns the existing terms out of `ids`, removed ones included.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn term_nodes(&self, ids: &[TermId]) -> Result<Vec<(TermId, FileNode)>, VersionError> {
        let found = stream::iter(ids.iter().copied()).map(async |id| {
            let ordinal = self.term_ordinal(id).await?;
            Ok::<_, VersionError>(ordinal.map(|ordinal| (id, ordinal)))
        });
        let found: Vec<Option<(TermId, u32)>> = found.buffered(CONCURRENCY).try_collect().await?;
        let (ids, ordinals): (Vec<TermId>, Vec<u32>) = found.into_iter().flatten().unzip();
        let nodes = self.nodes(&ordinals).await?;
        Ok(ids.into_iter().zip(nodes).collect())
    }

    /// Returns a category; a removed one in its last state.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn category(&self, id: CategoryId) -> Result<Option<StoredCategory>, VersionError> {
        let Some(ordinal) = self.category_ordinal(id).await? else {
            return Ok(None);
        };
        let node = self.node(ordinal).await?;
        if let Some(category) = node.stored_category() {
            return Ok(Some(category));
        }
        let removed = node
            .block
            .removed_category(ordinal)
            .map_err(|error| self.damaged(error))?;
        let removed =
            removed.ok_or_else(|| self.inconsistent("a category's ordinal is not one of a category"))?;
        Ok(Some(removed.1))
    }
}
