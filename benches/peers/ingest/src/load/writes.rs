//! The writes of a first load.

use std::hash::{DefaultHasher, Hash, Hasher};

use taxonomy_keys::TenantId;
use taxonomy_model::{Taxonomy, units, writes};

/// A write, as far as a table without content is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedWrite {
    /// The hash of its partition key.
    pub key: u64,
    /// Its write units.
    pub units: u32,
}

/// Returns the writes of a first load in the projector's order.
pub fn first_load(tenant: &TenantId, taxonomy: &Taxonomy) -> Vec<PlannedWrite> {
    let planned = writes::between(tenant, None, taxonomy, 0).map(|write| {
        let item = write.item();
        PlannedWrite {
            key: hash(&item.key.key().pk),
            units: u32::try_from(units::of_put(None, item, 1)).unwrap_or(u32::MAX),
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
    fn a_flat_list_is_many_partitions() {
        let generated = Generated {
            arrangement: Arrangement::Flat,
            cultures: 2,
            ..Generated::tree(500)
        };
        let mut bytes = Vec::new();
        generated.write(&mut bytes).unwrap();
        let taxonomy = service(&bytes).unwrap().taxonomy;
        let writes = first_load(&tenant().unwrap(), &taxonomy);
        // A category, and for each term an item in either culture.
        assert_eq!(writes.len(), 1 + 2 * 500);
        let partitions: HashSet<u64> = writes.iter().skip(1).map(|write| write.key).collect();
        assert_eq!(partitions.len(), 500);
        assert!(
            writes.iter().all(|write| write.units == 1),
            "items of a few hundred bytes"
        );
    }
}
