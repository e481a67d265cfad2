//! The second cache tier of a run: none, one in memory, or Valkey; and what happens to it.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use aws_sdk_cloudfront::config::{BehaviorVersion, Region};
use fastrand::Rng;
use lookup::cache::SecondTier;
use taxonomy_runtime::Clock;
use taxonomy_testkit::ValkeyServer;
use taxonomy_tests::prelude::*;
use taxonomy_valkey::ValkeyConfig;

use crate::actors::done;

use super::cluster::Cluster;
use super::expected::Versions;
use super::memory_tier::MemoryTier;

pub(crate) enum Tier {
    None,
    /// In memory; whether it receives hints of versions.
    Memory(Arc<MemoryTier>, bool),
    Valkey(Box<Valkey>),
}

/// A Valkey server, and the second deployment of the aggregator, which updates it.
pub(crate) struct Valkey {
    server: RefCell<ValkeyServer>,
    state: Cell<ServerState>,
    /// How often the server was paused or killed.
    failures: Cell<usize>,
    /// The number of records that the aggregator has handled.
    handled: Cell<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerState {
    Running,
    Paused,
    Killed,
}

/// Longer than the time-out of the function, because here the machine is what is slow.
const TIMEOUT: Duration = Duration::from_millis(100);

impl Tier {
    /// Returns the tier of a seed: none, or one in memory.
    pub(crate) fn drawn(seed: u64) -> Self {
        match seed % 4 {
            0 => Self::None,
            1 => Self::Memory(MemoryTier::new(seed, false), true),
            kind => Self::Memory(MemoryTier::new(seed, true), kind == 3),
        }
    }

    pub(crate) fn valkey() -> Self {
        Self::Valkey(Box::new(Valkey {
            server: RefCell::new(ValkeyServer::start()),
            state: Cell::new(ServerState::Running),
            failures: Cell::new(0),
            handled: Cell::new(0),
        }))
    }

    /// Returns a client of the tier for a lookup process with this clock.
    pub(crate) fn client(&self, clock: Arc<dyn Clock>) -> Option<Arc<dyn SecondTier>> {
        match self {
            Self::None => None,
            Self::Memory(tier, _) => Some(tier.clone()),
            Self::Valkey(valkey) => {
                let config = config(&valkey.server.borrow());
                Some(Arc::new(taxonomy_valkey::Valkey::new(&config, clock).unwrap()))
            }
        }
    }

    /// Draws something that happens to the tier. Returns whether it is an update of Valkey, which the caller makes by [`Valkey::update`].
    pub(crate) fn disturb(&self, rng: &mut Rng, cluster: &Cluster) -> bool {
        match self {
            Self::None => {}
            Self::Memory(tier, is_hinted) => match rng.u8(0..20) {
                0 => tier.clear(),
                1..=9 => tier.store_delayed(),
                _ if *is_hinted => {
                    let versions = rng.choice(cluster.versions.values()).unwrap();
                    let served = versions.served.last_key_value();
                    let version = match rng.u8(0..10) {
                        0 => versions.latest() + rng.u64(1..3),
                        _ => served.map_or(0, |(version, _)| *version),
                    };
                    tier.hint(versions.tenant, version);
                }
                _ => {}
            },
            Self::Valkey(valkey) => {
                let versions = rng.choice(cluster.versions.values()).unwrap();
                return valkey.disturb(rng, versions);
            }
        }
        false
    }
}

impl Valkey {
    fn disturb(&self, rng: &mut Rng, versions: &Versions) -> bool {
        let mut server = self.server.borrow_mut();
        match (rng.u8(0..40), self.state.get()) {
            (0, ServerState::Running) => {
                server.pause();
                self.fail(ServerState::Paused);
            }
            (1, ServerState::Running) => {
                server.kill();
                self.fail(ServerState::Killed);
            }
            (2, ServerState::Running) => drop(server.tell::<String>(&["FLUSHALL"])),
            (3, ServerState::Running) => {
                let key = format!("tx3:{{{}}}:version", versions.tenant);
                let version = (versions.latest() + rng.u64(1..3)).to_string();
                server.tell::<String>(&["SET", &key, &version]);
            }
            (4..=15, ServerState::Paused) => {
                server.resume();
                self.state.set(ServerState::Running);
            }
            (4..=15, ServerState::Killed) => {
                server.start_again();
                self.state.set(ServerState::Running);
            }
            (16..=30, ServerState::Running) => return true,
            _ => {}
        }
        false
    }

    fn fail(&self, state: ServerState) {
        self.state.set(state);
        self.failures.set(self.failures.get() + 1);
    }

    /// Delivers the records of the stream since the last handled one to the second deployment of the aggregator. Where the server failed meanwhile,
    /// the next update repeats what was not handled.
    pub(crate) async fn update(&self, world: &World) {
        let first = self.handled.get();
        let records = world.db.stream_records(TABLE).split_off(first);
        let failures = self.failures.get();
        let was_running = self.state.get() == ServerState::Running;
        let config = CachesConfig {
            function: "caches".to_owned(),
            tier: Some(ValkeyConfig {
                timeout: Duration::from_secs(5),
                ..config(&self.server.borrow())
            }),
            distribution: None,
        };
        let sdk = aws_sdk_cloudfront::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .build();
        let cloudfront = aws_sdk_cloudfront::Client::from_conf(sdk);
        let caches = Aggregator::of_caches(config, cloudfront, Arc::new(world.clock(0))).unwrap();
        let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
        let response = serde_json::to_value(caches.handle(batch, Deadline::NONE).await).unwrap();
        let done = done(&records, &response);
        let may_fail = !was_running || self.failures.get() > failures;
        assert!(
            done == records.len() || may_fail,
            "a record failed although the server ran: {response}"
        );
        let handled = first + done;
        self.handled.set(self.handled.get().max(handled));
    }
}

fn config(server: &ValkeyServer) -> ValkeyConfig {
    ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new(server.url())
    }
}
