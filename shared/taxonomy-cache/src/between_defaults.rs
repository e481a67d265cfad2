//! Terms in a culture while the default culture changes.
//!
//! During the change the own item of a term is in the new default culture or in a former one, and the name in a default culture is in the own
//! item, in the item of a culture, or in both. So the reader reads the items of all these cultures together with the own item, and takes each
//! for the culture that it states. The projector writes in an order in which each name is stored at every moment
//! (docs/decisions/0010-caches.md, rule 7).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use taxonomy_keys::{Culture, TermId};
use taxonomy_model::stored::StoredTerm;
use taxonomy_store::{Consistency, Found, Read, StoreError, TermItem, usage};

use crate::error::ReadError;
use crate::reader::CachedReader;
use crate::view::View;

/// An item of a term, or its absence.
type Item = Read<Option<Found<StoredTerm>>>;

impl CachedReader {
    /// As [`terms`](Self::terms), without caches and consistently.
    pub(crate) async fn terms_between_defaults(
        &self,
        view: &View,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Arc<Found<StoredTerm>>>, ReadError> {
        view.mark_uncacheable();
        let ids: BTreeSet<TermId> = ids.iter().copied().collect();
        let mut items = self.items_of(view, &ids, order).await?;
        // A batch read is no snapshot: one item may have been read before a name moved, and another one after that. The move was complete
        // by then, so a second read is conclusive.
        let torn = items.iter().filter(|(_, items)| may_be_torn(view, order, items));
        let torn: BTreeSet<TermId> = torn.map(|(id, _)| *id).collect();
        if !torn.is_empty() {
            items.extend(self.items_of(view, &torn, order).await?);
        }
        let found = items.into_iter().filter_map(|(id, items)| {
            let best = best(order, &items)?.clone();
            Some((id, Arc::new(best)))
        });
        Ok(found.collect())
    }

    /// Reads the items of each term in these cultures, and its own item last.
    async fn items_of(
        &self,
        view: &View,
        ids: &BTreeSet<TermId>,
        order: &[Culture],
    ) -> Result<HashMap<TermId, Vec<Item>>, StoreError> {
        let cultures = || order.iter().cloned().map(Some).chain([None]);
        let items: Vec<TermItem> = ids
            .iter()
            .flat_map(|id| cultures().map(|culture| TermItem { id: *id, culture }))
            .collect();
        usage::note(|usage| usage.cache_misses += u32::try_from(items.len()).unwrap_or(u32::MAX));
        let read = self
            .reader
            .term_items(view.tenant(), &items, Consistency::Strong)
            .await?;
        let mut of_terms: HashMap<TermId, Vec<Item>> = HashMap::with_capacity(ids.len());
        for (item, read) in items.into_iter().zip(read) {
            view.has_read(read.newest);
            of_terms.entry(item.id).or_default().push(read);
        }
        Ok(of_terms)
    }
}

/// Returns the name in the first culture that has one, the newest where there are several; else the own item.
fn best<'i>(order: &[Culture], items: &'i [Item]) -> Option<&'i Found<StoredTerm>> {
    let found = || items.iter().filter_map(|item| item.value.as_ref());
    let in_culture = |culture: &Culture| {
        let named = found().filter(|found| found.value.culture == *culture);
        named.max_by_key(|found| found.modified_in)
    };
    let own = items.last().and_then(|own| own.value.as_ref());
    order.iter().find_map(in_culture).or(own)
}

/// Whether the projection has reached this term and a name that may have moved was not found.
fn may_be_torn(view: &View, order: &[Culture], items: &[Item]) -> bool {
    let head = view.head();
    let moves = |culture: &Culture| {
        *culture == head.settings.default_culture || head.former_defaults.contains(culture)
    };
    let reached = items.iter().any(|item| !view.covers(item.newest));
    let answered = best(order, items).map(|found| &found.value.culture);
    let mut missed = order.iter().take_while(|culture| Some(*culture) != answered);
    reached && missed.any(moves)
}
