//! The fewest writes that turn the items of one version into those of another.

use serde::Serialize;
use taxonomy_keys::{ItemKey, TenantId};

use crate::items::attribute::{self, Attributes, Value};
use crate::items::{self, Item};
use crate::taxonomy::{Category, Taxonomy, Term};

/// One write; every write is a put of a whole item, on condition that no newer version wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// The item of the version.
    Put(Item),
    /// A tombstone: the version does not have the item.
    Remove(Item),
}

impl Write {
    /// The item to put.
    pub fn item(&self) -> &Item {
        let (Self::Put(item) | Self::Remove(item)) = self;
        item
    }
}

/// Returns exactly the items that differ between `old` (none: a tenant without a taxonomy) and `new`.
///
/// `expires_at` (epoch seconds) is the time from which the tombstones of satellites may be deleted. Terms come in ascending order of ids.
pub fn between<'a>(
    tenant: &'a TenantId,
    old: Option<&'a Taxonomy>,
    new: &'a Taxonomy,
    expires_at: u64,
) -> impl Iterator<Item = Write> + 'a {
    let categories = pair_categories(old, new).flat_map(move |pair| {
        let (old, new) = pair.split();
        let item = |category| vec![items::of_category(tenant, category)];
        differences(old.map(item), new.map(item), expires_at)
    });
    let terms = pair_terms(old, new).flat_map(move |pair| {
        let (old, new) = pair.split();
        let items = |term| items::of_term(tenant, term);
        differences(old.map(items), new.map(items), expires_at)
    });
    categories.chain(terms)
}

/// Returns the writes for one category or term.
fn differences(old: Option<Vec<Item>>, new: Option<Vec<Item>>, expires_at: u64) -> Vec<Write> {
    let mut old = old.unwrap_or_default();
    let mut writes = Vec::new();
    for item in new.unwrap_or_default() {
        match old.iter().position(|before| before.key == item.key) {
            Some(position) => {
                if old.swap_remove(position) != item {
                    writes.push(Write::Put(item));
                }
            }
            None => writes.push(Write::Put(item)),
        }
    }
    writes.extend(
        old.into_iter()
            .map(|item| Write::Remove(tombstone(item, expires_at))),
    );
    writes
}

/// Returns the tombstone of a satellite, the item of a term in one more culture, which expires.
pub fn tombstone_of_satellite(key: ItemKey, expires_at: u64) -> Write {
    Write::Remove(tombstone(
        Item {
            key,
            attributes: Attributes::new(),
        },
        expires_at,
    ))
}

/// The attributes of the tombstone of a satellite.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Tombstone {
    removed: bool,
    /// Its expiry, in epoch seconds.
    expires_at: u64,
}

/// The tombstone of a category or term keeps the last item; that of a satellite expires.
fn tombstone(mut last: Item, expires_at: u64) -> Item {
    last.attributes = match last.key {
        ItemKey::Category { .. } | ItemKey::Term { .. } => removed(last.attributes),
        _ => attribute::write(&Tombstone {
            removed: true,
            expires_at,
        }),
    };
    last
}

/// Returns the attributes of the tombstone of a category or term, given those of its last item.
#[must_use]
pub fn removed(mut last: Attributes) -> Attributes {
    last.insert("Removed".to_owned(), Value::Bool(true));
    last.insert("Deprecated".to_owned(), Value::Bool(true));
    last
}

/// The change of a node between two versions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pair<T> {
    Added(T),
    Removed(T),
    Kept(T, T),
}

impl<T> Pair<T> {
    pub(crate) fn split(self) -> (Option<T>, Option<T>) {
        match self {
            Self::Added(new) => (None, Some(new)),
            Self::Removed(old) => (Some(old), None),
            Self::Kept(old, new) => (Some(old), Some(new)),
        }
    }

    pub(crate) fn any(&self) -> &T {
        let (Self::Added(node) | Self::Removed(node) | Self::Kept(node, _)) = self;
        node
    }
}

/// Pairs the categories of `old` (none: a tenant without a taxonomy) and `new`, ascending by id.
pub(crate) fn pair_categories<'a>(
    old: Option<&'a Taxonomy>,
    new: &'a Taxonomy,
) -> impl Iterator<Item = Pair<Category<'a>>> {
    let old = old.into_iter().flat_map(Taxonomy::categories);
    pair_by_id(old, new.categories(), |category| category.id())
}

/// Pairs the terms of `old` (none: a tenant without a taxonomy) and `new`, ascending by id.
pub(crate) fn pair_terms<'a>(
    old: Option<&'a Taxonomy>,
    new: &'a Taxonomy,
) -> impl Iterator<Item = Pair<Term<'a>>> {
    let old = old.into_iter().flat_map(Taxonomy::terms);
    pair_by_id(old, new.terms(), |term| term.id())
}

/// Merges two sides that ascend by id.
fn pair_by_id<T: Copy, I: Ord>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
    id: impl Fn(T) -> I,
) -> impl Iterator<Item = Pair<T>> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let (mut old, mut new) = (old.peekable(), new.peekable());
    std::iter::from_fn(move || {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return None,
            (Some(_), None) => Less,
            (None, Some(_)) => Greater,
            (Some(old), Some(new)) => id(*old).cmp(&id(*new)),
        };
        match order {
            Less => old.next().map(Pair::Removed),
            Greater => new.next().map(Pair::Added),
            Equal => old.next().zip(new.next()).map(|(old, new)| Pair::Kept(old, new)),
        }
    })
}
