//! The cost of writes in DynamoDB's write request units (developer guide, "DynamoDB read and write operations").

use std::ops::AddAssign;

use serde::Serialize;
use taxonomy_keys::TenantId;

use crate::attribute::{self, Attributes, Value};
use crate::items::{self, Item};
use crate::taxonomy::Taxonomy;
use crate::writes;

/// The attributes that the index projects beside its own keys and the table's (docs/decisions/0001-table.md).
const COPIED: [&str; 7] = [
    "Name",
    "Culture",
    "Names",
    "Path",
    "Notation",
    "Deprecated",
    "HasChildren",
];

/// The bytes of a write unit.
const UNIT: usize = 1024;

/// Write units, of the table and of its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Units {
    /// Of the table.
    pub table: u64,
    /// Of the index.
    pub index: u64,
}

impl AddAssign for Units {
    fn add_assign(&mut self, more: Self) {
        self.table += more.table;
        self.index += more.index;
    }
}

/// The sum of the writes of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// Items that are put.
    pub items: u64,
    /// Items that are replaced by tombstones.
    pub tombstones: u64,
    /// The write units of both.
    pub units: Units,
}

/// Returns the cost of projecting `new` as version `version` over `old` (none: a tenant without a taxonomy). Tombstones of versions before `old`
/// are not known here; replacing one may cost a unit more.
#[must_use]
pub fn cost(tenant: &TenantId, old: Option<&Taxonomy>, new: &Taxonomy, version: u64) -> Cost {
    let mut cost = Cost::default();
    // The previous items of a partition; writes are ordered by partition.
    let mut before = (String::new(), Vec::new());
    for write in writes::between(tenant, old, new, LATER) {
        let item = write.item();
        let pk = item.key.key().pk;
        if before.0 != pk {
            let had = old.map_or_else(Vec::new, |old| items::of_partition(tenant, old, &pk));
            before = (pk, had);
        }
        let had = before.1.iter().find(|had| had.key == item.key);
        cost.units += of_put(had, item, version);
        match write {
            writes::Write::Put(_) => cost.items += 1,
            writes::Write::Remove(_) => cost.tombstones += 1,
        }
    }
    cost
}

/// Any time of this century, in epoch seconds: all have the same length.
const LATER: u64 = 2_000_000_000;

/// Returns the units of a put: those of the larger of the two items, and those of added, changed and removed entries of the index.
#[must_use]
pub fn of_put(old: Option<&Item>, new: &Item, version: u64) -> Units {
    let bytes = |item: &Item| item_bytes(item, version);
    let entries = [old.and_then(Entry::of), Entry::of(new)];
    let table = units(bytes(new).max(old.map_or(0, bytes)));
    let index = match entries {
        [None, None] => 0,
        [Some(old), Some(new)] if old == new => 0,
        // An entry with unchanged keys is overwritten; one with other keys is removed and added.
        [Some(old), Some(new)] if old.keys == new.keys => units(old.bytes().max(new.bytes())),
        entries => entries
            .into_iter()
            .flatten()
            .map(|entry| units(entry.bytes()))
            .sum(),
    };
    Units { table, index }
}

fn units(bytes: usize) -> u64 {
    bytes.div_ceil(UNIT) as u64
}

fn item_bytes(item: &Item, version: u64) -> usize {
    let keys: usize = keys(item)
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    let version = attribute::billed_size(&Attributes::from_iter([("V".to_owned(), Value::from(version))]));
    let kind = "EntityType".len() + item.key.entity_type().len();
    keys + version + kind + attribute::billed_size(&item.attributes)
}

/// Returns the keys of an item: those of the table, and those of the index if it is listed.
fn keys(item: &Item) -> Vec<(&'static str, String)> {
    let key = item.key.key();
    let mut keys = vec![("PK", key.pk), ("SK", key.sk)];
    if let Some(index) = &item.index {
        let index = index.key();
        keys.extend([("GSI1PK", index.pk), ("GSI1SK", index.sk)]);
    }
    keys
}

/// An entry of the index.
#[derive(PartialEq)]
struct Entry<'a> {
    keys: Vec<(&'static str, String)>,
    kind: &'static str,
    copied: Vec<(&'static str, &'a Value)>,
}

impl<'a> Entry<'a> {
    /// Returns the entry of an item; none if it is not listed.
    fn of(item: &'a Item) -> Option<Self> {
        item.index.as_ref()?;
        let copied = COPIED.into_iter();
        let copied = copied.filter_map(|name| Some((name, item.attributes.get(name)?)));
        Some(Self {
            keys: keys(item),
            kind: item.key.entity_type(),
            copied: copied.collect(),
        })
    }

    fn bytes(&self) -> usize {
        let keys: usize = self
            .keys
            .iter()
            .map(|(name, value)| name.len() + value.len())
            .sum();
        let copied = self
            .copied
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).clone()));
        keys + "EntityType".len() + self.kind.len() + attribute::billed_size(&copied.collect())
    }
}
