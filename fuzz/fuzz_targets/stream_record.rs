//! Events of the aggregator: any batch of either kind is read or refused, and any change in it is a head's.
#![no_main]

use aggregator::{Batch, fuzzing::committed};
use libfuzzer_sys::fuzz_target;
use taxonomy_keys::{TenantId, Version};

fuzz_target!(|bytes: &[u8]| {
    let Ok(batch) = serde_json::from_slice::<Batch>(bytes) else {
        return;
    };
    for (tenant, version) in committed(batch) {
        assert_eq!(tenant.as_str().parse::<TenantId>(), Ok(tenant.clone()));
        assert_eq!(Version::new(version.get()), Some(version));
    }
});
