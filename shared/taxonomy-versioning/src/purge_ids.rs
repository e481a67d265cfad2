//! The partitions of everything that a tenant ever had, for a purge: from the changesets, the head's content and the lists of the index.
//! A damaged part is passed over and named, since a purge deletes as much as it can find.

use std::collections::BTreeSet;
use std::pin::pin;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{CategoryId, ItemKey, Key, List, TenantId, TermId, Version};
use taxonomy_model::changeset::Changeset;
use taxonomy_model::{KnownIds, NodeId, Taxonomy};
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, LOG_PAGE, LogEntry, StoreError};

use crate::error::{VersioningError, causes};
use crate::full_rewrite::partition;
use crate::service::Service;

/// Lists that are read at once.
const CONCURRENCY: usize = 16;

/// Changesets that are held at once: the first version of a large taxonomy is a large one.
const CHANGESETS: usize = 4;

/// The ids that were found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Partition keys, in waves: what only the index knows comes before what leads to it, so that a repetition finds it again.
    pub(crate) waves: Vec<BTreeSet<String>>,
    /// The first damage that was met.
    pub(crate) damage: Option<String>,
}

impl Found {
    fn note(&mut self, damage: impl FnOnce() -> String) {
        self.damage.get_or_insert_with(damage);
    }

    /// Passes over what is damaged or missing, and notes it.
    fn unless_damaged<T>(&mut self, read: Result<T, StoreError>) -> Result<Option<T>, VersioningError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if matches!(error, StoreError::Damaged { .. }) || error.is_missing() => {
                self.note(|| causes(&error));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl<C: Clock> Service<C> {
    /// The partitions of every category and term that there is or was.
    pub(crate) async fn everything_ever(
        &self,
        tenant: &TenantId,
        head: Option<&Committed>,
    ) -> Result<Found, VersioningError> {
        let (mut found, mut ids) = (Found::default(), KnownIds::default());
        let mut content = None;
        if let Some(head) = head {
            self.ids_of_the_chain(tenant, head.version, &mut ids, &mut found)
                .await?;
            let snapshot = self.archive.snapshot(&head.snapshot_key, &head.state).await;
            content = found.unless_damaged(snapshot)?;
        }
        let mut known: BTreeSet<String> = ids.iter().filter_map(|node| partition(tenant, node)).collect();
        if let Some(content) = &content {
            let categories = content.categories();
            known.extend(categories.map(|category| pattern::category(tenant, category.id()).pk));
            known.extend(content.terms().map(|term| pattern::term(tenant, term.id()).pk));
        }
        let lists = lists(tenant, &ids, content.as_ref());
        let mut waves = self.only_listed(tenant, lists, &known).await?;
        waves.reverse();
        waves.push(known);
        found.waves = waves;
        Ok(found)
    }

    /// The ids of every changeset that can be read. The chain is not verified: a changeset that leads elsewhere still names ids.
    async fn ids_of_the_chain(
        &self,
        tenant: &TenantId,
        to: Version,
        ids: &mut KnownIds,
        found: &mut Found,
    ) -> Result<(), VersioningError> {
        let mut from = Some(Version::FIRST);
        while let Some(first) = from.filter(|from| *from <= to) {
            let last = Version::new(first.get() + LOG_PAGE - 1).map_or(to, |last| last.min(to));
            let entries = self.log(tenant, first, last, found).await?;
            let expected = last.get() - first.get() + 1;
            if entries.len() as u64 != expected {
                found.note(|| format!("the log lacks a version from {first} to {last}"));
            }
            let changesets = stream::iter(entries).map(async |entry| {
                self.archive
                    .changeset(tenant, entry.version, &entry.changeset)
                    .await
            });
            let mut changesets = pin!(changesets.buffered(CHANGESETS));
            while let Some(changeset) = changesets.next().await {
                if let Some(Changeset { facts, .. }) = found.unless_damaged(changeset)? {
                    ids.extend(&facts);
                }
            }
            from = Version::new(last.get() + 1);
        }
        Ok(())
    }

    /// A page of the log, one entry after the other where the page cannot be read.
    async fn log(
        &self,
        tenant: &TenantId,
        first: Version,
        last: Version,
        found: &mut Found,
    ) -> Result<Vec<LogEntry>, VersioningError> {
        let page = self.heads.entries(tenant, first, last).await;
        if let Some(entries) = found.unless_damaged(page)? {
            return Ok(entries);
        }
        let mut entries = Vec::new();
        for version in (first.get()..=last.get()).filter_map(Version::new) {
            let entry = self.heads.entry(tenant, version).await;
            entries.extend(found.unless_damaged(entry)?.flatten());
        }
        Ok(entries)
    }

    /// Finds the ids in the lists of the index beyond `known`, and what hangs below that, in waves from the lists downwards.
    async fn only_listed(
        &self,
        tenant: &TenantId,
        mut lists: Vec<KeyQuery>,
        known: &BTreeSet<String>,
    ) -> Result<Vec<BTreeSet<String>>, VersioningError> {
        let (mut waves, mut seen) = (Vec::new(), known.clone());
        while !lists.is_empty() {
            let read = stream::iter(lists).map(|list| self.purge.keys(list));
            let mut read = pin!(read.buffered(CONCURRENCY));
            let (mut wave, mut further) = (BTreeSet::new(), Vec::new());
            while let Some(keys) = read.try_next().await? {
                for Key { pk, sk } in keys {
                    let is_own = ItemKey::owner(&pk).as_ref() == Some(tenant);
                    if is_own && seen.insert(pk.clone()) {
                        further.extend(list_below(tenant, &pk, &sk));
                        wave.insert(pk);
                    }
                }
            }
            if !wave.is_empty() {
                waves.push(wave);
            }
            lists = further;
        }
        Ok(waves)
    }
}

/// The lists that may hold something unknown: all categories, the top terms of every category ever, and the children of every term that
/// has or had any. Without the content that is every term ever.
fn lists(tenant: &TenantId, ids: &KnownIds, content: Option<&Taxonomy>) -> Vec<KeyQuery> {
    let mut lists = vec![List::Categories];
    for node in ids.iter() {
        match node {
            NodeId::Category(id) => lists.extend(CategoryId::new(id).map(List::TopTerms)),
            NodeId::Term(id) if content.is_none() => lists.extend(TermId::new(id).map(List::Children)),
            NodeId::Term(_) => {}
        }
    }
    if let Some(content) = content {
        lists.extend(content.categories().map(|category| List::TopTerms(category.id())));
        let parents = content.terms().filter(|term| !term.is_leaf());
        lists.extend(parents.map(|parent| List::Children(parent.id())));
    }
    let queries = lists.into_iter().map(|list| pattern::siblings(tenant, list));
    queries.collect()
}

/// The list of what is right below a category or a term.
fn list_below(tenant: &TenantId, pk: &str, sk: &str) -> Option<KeyQuery> {
    let list = match ItemKey::parse(pk, sk).ok()? {
        ItemKey::Category { category, .. } => List::TopTerms(category),
        ItemKey::Term { term, .. } => List::Children(term),
        _ => return None,
    };
    Some(pattern::siblings(tenant, list))
}
