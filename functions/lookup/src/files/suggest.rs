//! Searches in several cultures, by id, and for the last names of what was removed.

use std::collections::{BTreeMap, HashMap};

use futures_util::future::try_join_all;
use taxonomy_index::search::{
    Filter, Findings, Found, Hit, Language, Node, Query, SearchOptions, letters, merge,
};
use taxonomy_index::{IdTable, OrdinalSet, name_key};
use taxonomy_keys::{CategoryId, Culture, TermId, Version};
use taxonomy_model::NodeId;

use crate::files::error::VersionError;
use crate::files::version_file::VersionFile;

/// The maximum number of cultures that are searched concurrently.
const CONCURRENCY: usize = 8;
/// The maximum number of removed nodes that are named.
const MAX_REMOVED: usize = 10;

/// What the names of some cultures have for a query.
#[derive(Debug, Default)]
pub struct Searched {
    /// The best name of each node, the best first, with the number of its culture.
    pub names: Vec<(usize, Found)>,
    /// All nodes that were found.
    pub nodes: OrdinalSet,
    /// Those that were found without typos.
    pub without_typos: OrdinalSet,
    /// Whether there are more nodes.
    pub has_more: bool,
    /// Whether a better hit may be missing.
    pub truncated: bool,
}

/// A category or a term that was removed, by its last name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedName {
    /// The category or the term.
    pub node: NodeId,
    /// The name.
    pub name: String,
    /// The version that removed it.
    pub removed_in: Version,
}

impl Searched {
    fn of(found: Vec<Findings>) -> Self {
        let mut searched = Self::default();
        let mut names = Vec::with_capacity(found.len());
        for found in found {
            searched.without_typos = searched.without_typos.or(&found.without_typos());
            searched.nodes = searched.nodes.or(&found.nodes);
            searched.has_more |= found.has_more;
            searched.truncated |= found.truncated;
            names.push(found.names);
        }
        searched.names = merge(&names);
        searched
    }
}

impl VersionFile<'_> {
    /// Searches the names of cultures: by class, then by culture.
    ///
    /// # Errors
    /// [`VersionError`] if a search object cannot be read, or is not that of the version.
    pub async fn search(
        &self,
        cultures: &[Culture],
        query: &Query,
        options: &SearchOptions,
    ) -> Result<Searched, VersionError> {
        let mut found = Vec::with_capacity(cultures.len());
        for cultures in cultures.chunks(CONCURRENCY) {
            // Boxed: a search takes much of a stack, and several are made one after the other.
            let searches = cultures
                .iter()
                .map(|culture| Box::pin(self.find(culture, query, options)));
            found.extend(
                try_join_all(searches)
                    .await?
                    .into_iter()
                    .map(Option::unwrap_or_default),
            );
        }
        Ok(Searched::of(found))
    }

    /// Completes names that a search of cultures found, by ordinals.
    ///
    /// # Errors
    /// As of [`search`](Self::search).
    pub async fn hits_of<'c>(
        &self,
        cultures: &'c [Culture],
        query: &Query,
        names: impl Iterator<Item = (usize, Found)>,
    ) -> Result<HashMap<u32, (&'c Culture, Hit)>, VersionError> {
        let mut by_culture: BTreeMap<usize, Vec<Found>> = BTreeMap::new();
        for (number, name) in names {
            by_culture.entry(number).or_default().push(name);
        }
        let by_culture = by_culture.iter();
        let hits = by_culture.filter_map(|(number, found)| Some((cultures.get(*number)?, found)));
        let hits = hits.map(async |(culture, found)| {
            let hits = Box::pin(self.hits(culture, query, found)).await?.into_iter();
            Ok::<_, VersionError>(hits.map(|hit| (hit.ordinal, (culture, hit))).collect::<Vec<_>>())
        });
        Ok(try_join_all(hits).await?.into_iter().flatten().collect())
    }

    /// Returns the ordinals of the live category and the live term with an id that a filter admits.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn with_id(&self, id: u64, filter: &Filter) -> Result<Vec<u32>, VersionError> {
        let mut ordinals = Vec::new();
        for ordinal in self.ordinals_with(Some(id)).await? {
            let node = match self.footer().is_category(ordinal) {
                true => Node::Category,
                false => Node::Term,
            };
            let row = self.row(ordinal).await?;
            let is_deep = filter.depth.is_some_and(|most| row.depth > most);
            if !row.removed && !is_deep && filter.admits(ordinal, row.deprecated, node) {
                ordinals.push(ordinal);
            }
        }
        Ok(ordinals)
    }

    /// Returns removed categories and terms with an id, then those whose last name has the letters of a text, at most 10.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn removed_as(&self, text: &str, id: Option<u64>) -> Result<Vec<RemovedName>, VersionError> {
        let default = &self.footer().settings().default_culture;
        let mut with_id = self.ordinals_with(id).await?;
        with_id.retain(|ordinal| *ordinal >= self.footer().terms().end);
        let named = self
            .values(IdTable::RemovedNames, name_key(default, text))
            .await?;
        let named = named.into_iter().filter(|ordinal| !with_id.contains(ordinal));
        let ordinals: Vec<u32> = with_id.iter().copied().chain(named.take(MAX_REMOVED)).collect();
        let nodes = self.nodes(&ordinals).await?;
        let mut removed = Vec::with_capacity(nodes.len());
        for node in nodes {
            let damaged = |error| self.damaged(error);
            let term = node.block.removed_term(node.ordinal).map_err(damaged)?;
            let term = term.map(|(id, term)| (NodeId::Term(id.get()), term.culture, term.name));
            let category = node.block.removed_category(node.ordinal).map_err(damaged)?;
            let category =
                category.map(|(id, category)| (NodeId::Category(id.get()), category.culture, category.name));
            let found = term.or(category);
            let (id, culture, name) =
                found.ok_or_else(|| self.inconsistent("a live node among the removed"))?;
            // The table has hashes.
            let language = Language::from(&culture);
            if with_id.contains(&node.ordinal) || letters(language, &name) == letters(language, text) {
                removed.push(RemovedName {
                    node: id,
                    name,
                    removed_in: self.row(node.ordinal).await?.changed_in,
                });
            }
        }
        Ok(removed)
    }

    /// Returns the ordinals of the category and of the term with an id, removed ones included.
    async fn ordinals_with(&self, id: Option<u64>) -> Result<Vec<u32>, VersionError> {
        let category = match id.and_then(CategoryId::new) {
            Some(id) => self.category_ordinal(id).await?,
            None => None,
        };
        let term = match id.and_then(TermId::new) {
            Some(id) => self.term_ordinal(id).await?,
            None => None,
        };
        Ok(category.into_iter().chain(term).collect())
    }
}
