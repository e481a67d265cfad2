//! The stack of the scenario: the real projector and lookup processes over one table, a replica that lags, and a record of the versions that
//! were served.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fastrand::Rng;
use lookup::cache::{CachedReader, SecondTier};
use lookup::{Event, Lookup};
use taxonomy_runtime::Clock;
use taxonomy_testkit::dynamodb::Lag;
use taxonomy_tests::asking::process_over;
use taxonomy_tests::prelude::*;

use crate::content::Content;
use crate::raw::{head, number, sha256, text};

use super::expected::Versions;

/// The longest time after which a write is in the replica, less than a minute by the fastest clock.
const MOST_LAG_MS: u64 = 59_000;

pub(crate) struct Cluster {
    pub(crate) world: World,
    pub(crate) versions: BTreeMap<&'static str, Versions>,
    has_replica: bool,
    /// The partitions of the writes that the replica lacks, and the times of the writes.
    behind: VecDeque<(String, u64)>,
    /// The uploaded files, by hash.
    files: BTreeMap<String, Content>,
    /// The number of writes when [`Self::observe`] last looked: nothing but a write changes what it sees.
    writes: usize,
}

impl Cluster {
    pub(crate) fn new(tenants: &[&'static str]) -> Self {
        let versions = tenants.iter().map(|tenant| (*tenant, Versions::new(tenant)));
        Self {
            world: World::in_manual_time(),
            versions: versions.collect(),
            has_replica: false,
            behind: VecDeque::new(),
            files: BTreeMap::new(),
            writes: 0,
        }
    }

    /// Starts a replica whose lag [`Self::replicate`] and the passing of time reduce.
    pub(crate) fn start_replica(&mut self, lag: Lag) {
        if lag != Lag::Nothing {
            self.world.db.lag(lag);
            self.has_replica = true;
        }
    }

    /// Starts a process of the lookup whose clock differs by `skew_ms`. With 0 `bytes` it caches no entries.
    pub(crate) fn lookup(
        &self,
        actor: &str,
        skew_ms: i64,
        bytes: u64,
        tier: Option<Arc<dyn SecondTier>>,
    ) -> Lookup {
        let world = self.world.acting_as(actor);
        let clock: Arc<dyn Clock> = Arc::new(self.world.clock(skew_ms));
        // As in the deployed function, a quarter of the cache is for responses.
        process_over(&world, clock, [bytes; 2], with_tier(tier), |context| context).with_prepared(bytes / 4)
    }

    /// Uploads a file, and returns the event of the upload.
    pub(crate) fn upload(&mut self, tenant: &str, file: &Value) -> Value {
        let bytes = file.to_string().into_bytes();
        self.files.insert(sha256(&bytes), Content::of_file(file));
        self.world.upload(tenant, &bytes)
    }

    /// Lets time pass, also for the replica.
    pub(crate) fn pass(&mut self, ms: u64) {
        self.world.pass_ms(ms);
        let now = self.world.now_ms();
        while let Some((partition, at)) = self.behind.front().cloned() {
            if at + MOST_LAG_MS > now {
                break;
            }
            self.replicate_one(&partition);
        }
    }

    /// Lets the oldest write of a partition reach the replica.
    fn replicate_one(&mut self, partition: &str) {
        self.world.db.advance_partition(partition, 1);
        let position = self.behind.iter().position(|(behind, _)| behind == partition);
        position.and_then(|position| self.behind.remove(position));
    }

    /// Lets some writes of any partitions reach the replica.
    pub(crate) fn replicate(&mut self, rng: &mut Rng, writes: usize) {
        for _ in 0..writes {
            if let Some((partition, _)) = rng.choice(&self.behind).cloned() {
                self.replicate_one(&partition);
            }
        }
    }

    /// Records the versions that the head names, and the writes that the replica lacks, from the primary without a request.
    pub(crate) fn observe(&mut self) {
        let writes = self.world.db.writes();
        if std::mem::replace(&mut self.writes, writes) == writes {
            return;
        }
        let now = self.world.now_ms();
        if self.has_replica {
            let new = self.world.db.behind().into_iter().skip(self.behind.len());
            self.behind.extend(new.map(|(partition, _)| (partition, now)));
        }
        for (tenant, versions) in &mut self.versions {
            let head = head(&self.world, tenant);
            let version = number(&head, "V");
            if version > versions.latest() {
                assert_eq!(version, versions.latest() + 1);
                versions.commit(&self.files[&text(&head, "Source.Sha256")]);
                versions.serve(version, &text(&head, "ChangesetId")[..16], now);
            }
        }
    }

    pub(crate) fn deadline_in(&self, ms: u64) -> Deadline {
        Deadline::of_invocation(self.world.now_ms() + Deadline::MARGIN_MS + ms)
    }
}

/// Adds a second tier, if there is one.
pub(super) fn with_tier(tier: Option<Arc<dyn SecondTier>>) -> impl FnOnce(CachedReader) -> CachedReader {
    |reader| match tier {
        Some(tier) => reader.with_second_tier(tier),
        None => reader,
    }
}

/// Returns a request as API Gateway sends it.
pub(crate) fn get(path: &str, query: &str, if_none_match: Option<&str>) -> Event {
    let event = json!({
        "rawPath": path, "rawQueryString": query, "headers": {"if-none-match": if_none_match},
        "requestContext": {"http": {"method": "GET"}},
    });
    serde_json::from_value(event).unwrap()
}
