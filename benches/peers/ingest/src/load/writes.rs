//! The writes of a first load.

use std::hash::{DefaultHasher, Hash, Hasher};

use taxonomy_keys::TenantId;
use taxonomy_model::{Taxonomy, units, writes};

/// A write, as far as a table without content is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedWrite {
    /// The hash of its partition key.
    pub table_key: u64,
    /// The hash of its partition key of the index.
    pub index_key: u64,
    /// Units of the table.
    pub table_units: u32,
    /// Units of the index; 0 if the item is in no list.
    pub index_units: u32,
}

/// Returns the writes of a first load in the projector's order.
pub fn first_load(tenant: &TenantId, taxonomy: &Taxonomy) -> Vec<PlannedWrite> {
    let planned = writes::between(tenant, None, taxonomy, 0).map(|write| {
        let item = write.item();
        let used = units::of_put(None, item, 1);
        let index = item.index.as_ref().map(|index| index.key().pk);
        PlannedWrite {
            table_key: hash(&item.key.key().pk),
            index_key: index.as_deref().map_or(0, hash),
            table_units: u32::try_from(used.table).unwrap_or(u32::MAX),
            index_units: u32::try_from(used.index).unwrap_or(u32::MAX),
        }
    });
    planned.collect()
}

/// Spreads keys evenly, as DynamoDB's own hash does, which is not documented.
fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::generate::{Arrangement, Generated};
    use crate::ingest::tenant;
    use crate::parse::service;

    #[test]
    fn a_flat_list_is_one_partition_of_the_index_and_many_of_the_table() {
        let generated = Generated {
            arrangement: Arrangement::Flat,
            cultures: 2,
            ..Generated::tree(500)
        };
        let mut bytes = Vec::new();
        generated.write(&mut bytes).unwrap();
        let taxonomy = service(&bytes).unwrap().taxonomy;
        let writes = first_load(&tenant().unwrap(), &taxonomy);
        // A category, and for each term an item in either culture, the first of which is listed.
        assert_eq!(writes.len(), 1 + 2 * 500);
        let listed: Vec<_> = writes
            .iter()
            .skip(1)
            .filter(|write| write.index_units > 0)
            .collect();
        assert_eq!(listed.len(), 500);
        let lists: HashSet<u64> = listed.iter().map(|write| write.index_key).collect();
        let partitions: HashSet<u64> = writes.iter().skip(1).map(|write| write.table_key).collect();
        assert_eq!((lists.len(), partitions.len()), (1, 500));
        assert!(
            writes.iter().all(|write| write.table_units == 1),
            "items of a few hundred bytes"
        );
    }
}
