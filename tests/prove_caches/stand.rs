//! The stack that a walk goes through: the real projector and processes of the real lookup over one table, with a clock for all.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lookup::{Auth, CacheControl, Event, Lookup};
use projector::Projector;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use taxonomy_cache::{CachedReader, SecondTier};
use taxonomy_protocol::Deadline;
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Archive, Heads, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake, SqsFake, Wire};
use taxonomy_tests::world::{create_queues, projector_config};
use taxonomy_versions::Versions;

use crate::files::Draft;
use crate::model::History;

/// Everything has arrived at the replica after this, by the clock that is behind most.
const MOST_LAG_MS: u64 = 55_000;

/// One clock, and how far somebody's is off.
#[derive(Debug, Clone)]
pub(crate) struct SimClock {
    now: Arc<AtomicU64>,
    skew: i64,
}

impl Clock for SimClock {
    fn now_ms(&self) -> u64 {
        self.now.load(Ordering::SeqCst).saturating_add_signed(self.skew)
    }
}

pub(crate) struct Stand {
    pub(crate) wire: Wire,
    pub(crate) db: EmbeddedDynamoDb,
    s3: S3Fake,
    pub(crate) sqs: SqsFake,
    pub(crate) clock: SimClock,
    /// What waits for the replica, and since when.
    behind: VecDeque<(String, u64)>,
    /// Whether lookups read index files. Rules for answers from the table alone are judged by lookups that do not.
    pub(crate) with_files: bool,
    /// Whether a replica is held.
    pub(crate) lags: bool,
    pub(crate) histories: BTreeMap<&'static str, History>,
    drafts: BTreeMap<Vec<u8>, Draft>,
}

impl Stand {
    pub(crate) fn new(tenants: &[&'static str]) -> Self {
        let wire = Wire::new();
        let db = EmbeddedDynamoDb::on(&wire);
        db.create_table(TABLE);
        let (s3, sqs) = (S3Fake::on(&wire), SqsFake::on(&wire));
        create_queues(&sqs);
        let clock = SimClock {
            now: Arc::new(AtomicU64::new(NEW_YEAR_MS)),
            skew: 0,
        };
        Self {
            wire,
            db,
            s3,
            sqs,
            clock,
            behind: VecDeque::new(),
            with_files: false,
            lags: false,
            histories: tenants
                .iter()
                .map(|tenant| (*tenant, History::new(tenant)))
                .collect(),
            drafts: BTreeMap::new(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now_ms()
    }

    pub(crate) fn clock(&self, skew: i64) -> SimClock {
        SimClock {
            skew,
            ..self.clock.clone()
        }
    }

    pub(crate) fn projector(&self, actor: &str) -> Projector<SimClock> {
        let config = projector_config(1 << 20);
        let (s3, sqs) = (self.s3.acting_as(actor), self.sqs.acting_as(actor));
        let db = self.db.acting_as(actor);
        Projector::new(config, db.client(), s3.client(), sqs.client(), self.clock.clone())
    }

    /// A process of the lookup. Without `bytes` it keeps no entries.
    pub(crate) fn lookup(
        &self,
        actor: &str,
        skew: i64,
        bytes: u64,
        tier: Option<Arc<dyn SecondTier>>,
    ) -> Lookup {
        let table = Table::new(self.db.acting_as(actor).client(), TABLE);
        let clock: Arc<dyn Clock> = Arc::new(self.clock(skew));
        let reader = CachedReader::new(Reader::new(table.clone()), clock.clone(), bytes);
        let reader = match tier {
            Some(tier) => reader.with_second_tier(tier),
            None => reader,
        };
        let world = lookup::World::new(reader, Aggregates::new(table.clone()));
        let world = if self.with_files {
            let archive = Archive::new(self.s3.acting_as(actor).client(), CHANGESETS_BUCKET);
            world.with_versions(Versions::new(archive, bytes), Heads::new(table))
        } else {
            world
        };
        Lookup::new(Auth::None, CacheControl::default(), world, clock)
    }

    /// Puts a file where an upstream would.
    pub(crate) fn upload(&mut self, tenant: &'static str, draft: &Draft) -> Value {
        let (file, key) = (draft.file(), format!("taxonomies/{tenant}.json"));
        let hash = Sha256::digest(&file).to_vec();
        self.drafts.insert(hash, draft.clone());
        self.s3.put(SOURCE_BUCKET, &key, file);
        sns_event(&[self.s3.event(SOURCE_BUCKET, &key)])
    }

    /// Time passes, for the replica too.
    pub(crate) fn pass(&mut self, ms: u64) {
        self.clock.now.fetch_add(ms, Ordering::SeqCst);
        let now = self.now();
        while let Some((partition, since)) = self.behind.front().cloned() {
            if since + MOST_LAG_MS > now {
                break;
            }
            self.arrive(&partition);
        }
    }

    /// The oldest write of a partition reaches the replica.
    fn arrive(&mut self, partition: &str) {
        self.db.advance_partition(partition, 1);
        let position = self.behind.iter().position(|(waits, _)| waits == partition);
        position.and_then(|position| self.behind.remove(position));
    }

    /// Some writes reach the replica, of any partitions.
    pub(crate) fn replicate(&mut self, rng: &mut fastrand::Rng, writes: usize) {
        for _ in 0..writes {
            if let Some((partition, _)) = rng.choice(&self.behind).cloned() {
                self.arrive(&partition);
            }
        }
    }

    /// Sees what was written, as the judge does: past the wire.
    pub(crate) fn observe(&mut self) {
        let now = self.now();
        if self.lags {
            let waiting = self.db.behind().into_iter().skip(self.behind.len());
            self.behind.extend(waiting.map(|(partition, _)| (partition, now)));
        }
        for (tenant, history) in &mut self.histories {
            let Some(head) = self.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "HEAD") else {
                continue;
            };
            let number = |name: &str| head.get(name)?.as_n().ok()?.parse::<u64>().ok();
            let version = number("V").unwrap_or_default();
            if version > history.latest() {
                assert_eq!(version, history.latest() + 1);
                let source = head["Source"].as_m().unwrap()["Sha256"].as_s().unwrap();
                let draft = self.drafts.iter().find(|(hash, _)| hex(hash) == *source);
                history.commit(draft.unwrap().1);
            }
            if let Some(indexed) = number("Indexed") {
                history.index(indexed, now);
            }
            if let Some(projected) = number("Projected")
                && projected > 0
                && !history.published.contains_key(&projected)
            {
                assert_eq!(projected, version, "what is projected is the head");
                let changeset = &head["ChangesetId"].as_s().unwrap()[..16];
                history.publish(projected, changeset, now);
            }
        }
    }

    pub(crate) fn deadline_in(&self, ms: u64) -> Deadline {
        Deadline::of_invocation(self.now() + Deadline::MARGIN_MS + ms)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A request as API Gateway sends it.
pub(crate) fn get(path: &str, query: &str, if_none_match: Option<&str>) -> Event {
    let event = json!({
        "rawPath": path, "rawQueryString": query, "headers": {"if-none-match": if_none_match},
        "requestContext": {"http": {"method": "GET"}},
    });
    serde_json::from_value(event).unwrap()
}
