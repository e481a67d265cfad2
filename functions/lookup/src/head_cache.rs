//! The heads of tenants, each read at most once in two seconds.
//!
//! Every answer needs its tenant's head: for the version it states, for the cultures to choose from, and to know that there is such a
//! tenant at all. A tenant that is not there is remembered as well, so that asking for it costs no more than for others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use taxonomy_keys::TenantId;
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Reader, StoreError};

use crate::authorise::AuthorisedTenant;

/// How old a head may be. A new version is seen by everybody after at most so long.
const FRESH_MS: u64 = 2_000;
/// Some 5 MB of heads. When it is full, what is older than two seconds goes; if nothing is, all of it.
const CAPACITY: usize = 10_000;

/// What was seen of a tenant: its head, or that nothing was ever committed for it.
type Seen = Option<Arc<Committed>>;

/// The heads that this process has read. A Lambda process answers one request at a time, so nothing here waits for a read
/// that somebody else has begun.
pub(crate) struct HeadCache {
    reader: Reader,
    clock: Arc<dyn Clock>,
    seen: Mutex<HashMap<TenantId, (u64, Seen)>>,
}

impl HeadCache {
    pub(crate) fn new(reader: Reader, clock: Arc<dyn Clock>) -> Self {
        Self {
            reader,
            clock,
            seen: Mutex::default(),
        }
    }

    /// The head of a tenant; none where nothing was ever committed.
    pub(crate) async fn head(&self, tenant: &AuthorisedTenant) -> Result<Seen, StoreError> {
        let now = self.clock.now_ms();
        if let Some(seen) = self.fresh(tenant.id(), now) {
            return Ok(seen);
        }
        let head = self.reader.head(tenant.id()).await?;
        let head = head.and_then(|head| head.committed).map(Arc::new);
        self.remember(tenant.id(), now, head.clone());
        Ok(head)
    }

    fn fresh(&self, tenant: &TenantId, now: u64) -> Option<Seen> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, head) = seen.get(tenant)?;
        is_fresh(*at, now).then(|| head.clone())
    }

    fn remember(&self, tenant: &TenantId, now: u64, head: Seen) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= CAPACITY && !seen.contains_key(tenant) {
            seen.retain(|_, (at, _)| is_fresh(*at, now));
            if seen.len() >= CAPACITY {
                seen.clear();
            }
        }
        seen.insert(tenant.clone(), (now, head));
    }
}

/// A clock that was set back makes old what would otherwise stay fresh for as long as it was set back.
fn is_fresh(at: u64, now: u64) -> bool {
    now.abs_diff(at) < FRESH_MS
}

#[cfg(test)]
mod tests {
    use taxonomy_store::Table;
    use taxonomy_testkit::EmbeddedDynamoDb;

    use super::*;

    fn cache() -> HeadCache {
        let table = Table::new(EmbeddedDynamoDb::new().client(), "taxonomy");
        HeadCache::new(Reader::new(table), Arc::new(|| 0))
    }

    fn tenant(number: usize) -> TenantId {
        format!("t{number}").parse().unwrap()
    }

    fn count(cache: &HeadCache) -> usize {
        cache.seen.lock().unwrap().len()
    }

    #[test]
    fn what_was_seen_is_fresh_for_two_seconds() {
        let cache = cache();
        cache.remember(&tenant(1), 10_000, None);
        for (now, fresh) in [
            (10_000, true),
            (11_999, true),
            (12_000, false),
            (8_001, true),
            (8_000, false),
        ] {
            assert_eq!(cache.fresh(&tenant(1), now).is_some(), fresh, "{now}");
        }
        assert!(cache.fresh(&tenant(2), 10_000).is_none());
    }

    #[test]
    fn it_holds_ten_thousand_tenants_and_forgets_the_old_ones_first() {
        let cache = cache();
        (0..CAPACITY)
            .for_each(|number| cache.remember(&tenant(number), if number < 100 { 5_000 } else { 0 }, None));
        cache.remember(&tenant(1), 5_000, None);
        assert_eq!(count(&cache), CAPACITY, "a known tenant takes no further place");
        cache.remember(&tenant(CAPACITY), 5_000, None);
        assert_eq!(count(&cache), 101);
    }

    #[test]
    fn where_nothing_is_old_it_forgets_everything() {
        let cache = cache();
        (0..=CAPACITY).for_each(|number| cache.remember(&tenant(number), 5_000, None));
        assert_eq!(count(&cache), 1);
    }
}
