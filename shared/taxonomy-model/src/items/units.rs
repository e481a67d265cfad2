//! The cost of writes in DynamoDB's write request units (developer guide, "DynamoDB read and write operations").

use serde::Serialize;
use taxonomy_keys::TenantId;

use crate::items::attribute::{self, Attributes, Value};
use crate::items::writes;
use crate::items::{self, Item};
use crate::taxonomy::Taxonomy;

/// The bytes of a write unit.
const UNIT: usize = 1024;

/// The sum of the writes of a projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cost {
    /// Items that are put.
    pub items: u64,
    /// Items that are replaced by tombstones.
    pub tombstones: u64,
    /// The write units of both.
    pub units: u64,
}

/// Returns the cost of projecting `new` as version `version` over `old` (none: a tenant without a taxonomy). Tombstones of versions before `old`
/// are not known here; replacing one may cost a unit more.
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

/// Returns the units of a put: those of the larger of the two items.
pub fn of_put(old: Option<&Item>, new: &Item, version: u64) -> u64 {
    let bytes = |item: &Item| item_bytes(item, version);
    bytes(new).max(old.map_or(0, bytes)).div_ceil(UNIT) as u64
}

fn item_bytes(item: &Item, version: u64) -> usize {
    let key = item.key.key();
    let keys = "PK".len() + key.pk.len() + "SK".len() + key.sk.len();
    let version = attribute::billed_size(&Attributes::from_iter([("V".to_owned(), Value::from(version))]));
    let kind = "EntityType".len() + item.key.entity_type().len();
    keys + version + kind + attribute::billed_size(&item.attributes)
}
