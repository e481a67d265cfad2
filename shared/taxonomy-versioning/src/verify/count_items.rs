//! Counting the items of the table. Uses neither the changesets nor the code that writes aggregates, so that it can verify both.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_keys::{Culture, ItemKey};
use taxonomy_model::attribute::{Attributes, Malformed, get};
use taxonomy_model::items::Item;
use taxonomy_model::stored::Lineage;
use taxonomy_model::{CategoryCounts, Census, Counts, TenantCounts};
use taxonomy_store::StoredItem;

/// The counts so far.
#[derive(Debug, Default)]
pub(crate) struct ItemCounter {
    /// Whether an item could not be counted, so that every count may be wrong.
    is_spoiled: bool,
    categories: BTreeSet<u64>,
    terms: BTreeMap<u64, TermItems>,
}

#[derive(Debug, Default)]
struct TermItems {
    /// Category, depth and deprecation; `None` while only other items of the term were read.
    own: Option<(u64, usize, bool)>,
    parent: Option<u64>,
    cultures: BTreeSet<Culture>,
}

impl ItemCounter {
    /// Counts an item. Tombstones are not counted.
    pub(crate) fn take(&mut self, item: &StoredItem) {
        if item.is_tombstone() {
            return;
        }
        let counted = match &item.content {
            Ok(content) => match ItemKey::parse(&item.key.pk, &item.key.sk) {
                Ok(key) => self.try_take(&key, &content.attributes).is_ok(),
                Err(_) => true,
            },
            Err(_) => false,
        };
        self.is_spoiled |= !counted;
    }

    /// Counts an item that takes the place of a wrong one.
    pub(crate) fn take_wanted(&mut self, item: &Item) {
        if item.attributes.get("Removed").is_none() {
            self.is_spoiled |= self.try_take(&item.key, &item.attributes).is_err();
        }
    }

    fn try_take(&mut self, key: &ItemKey, attributes: &Attributes) -> Result<(), Malformed> {
        match key {
            ItemKey::Category { category, .. } => drop(self.categories.insert(category.get())),
            ItemKey::Term { term, .. } => {
                let above: Option<Lineage> = get(attributes, "Lineage")?;
                let above = above.unwrap_or_default();
                let deprecated: Option<bool> = get(attributes, "Deprecated")?;
                let seen = self.terms.entry(term.get()).or_default();
                seen.own = Some((
                    get(attributes, "CategoryId")?,
                    above.len() + 1,
                    deprecated == Some(true),
                ));
                seen.parent = above.first().map(|parent| parent.id.get());
                seen.cultures.insert(get(attributes, "Culture")?);
            }
            ItemKey::TermCulture { term, culture, .. } => {
                let seen = self.terms.entry(term.get()).or_default();
                seen.cultures.insert(culture.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the sums; `None` if an item could not be counted.
    pub(crate) fn census(&self) -> Option<Census> {
        if self.is_spoiled {
            return None;
        }
        let parents: BTreeSet<u64> = self.terms.values().filter_map(|seen| seen.parent).collect();
        let mut totals = Counts::default();
        let mut categories: BTreeMap<u64, Counts> = self
            .categories
            .iter()
            .map(|id| (*id, Counts::default()))
            .collect();
        for (id, seen) in &self.terms {
            let Some((category, depth, deprecated)) = seen.own else {
                continue;
            };
            for counts in [&mut totals, categories.entry(category).or_default()] {
                counts.terms += 1;
                counts.leaves += u64::from(!parents.contains(id));
                counts.deprecated += u64::from(deprecated);
                if counts.depths.len() < depth {
                    counts.depths.resize(depth, 0);
                }
                if let Some(at_depth) = depth.checked_sub(1).and_then(|at| counts.depths.get_mut(at)) {
                    *at_depth += 1;
                }
                for culture in &seen.cultures {
                    counts.names.add(culture);
                }
            }
        }
        Some(Census {
            totals: TenantCounts {
                categories: self.categories.len() as u64,
                counts: totals,
            },
            categories: categories
                .into_iter()
                .map(|(id, counts)| CategoryCounts { id, counts })
                .collect(),
        })
    }
}
