//! What stands behind the processes' own memory in a walk.

use std::sync::Arc;
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use aws_sdk_cloudfront::config::{BehaviorVersion, Region};
use fastrand::Rng;
use serde_json::json;
use taxonomy_cache::SecondTier;
use taxonomy_protocol::Deadline;
use taxonomy_runtime::Clock;
use taxonomy_testkit::ValkeyServer;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_valkey::{Valkey, ValkeyConfig};

use crate::stand::{SimClock, Stand};
use crate::tier::Tier;

pub(crate) enum Second {
    None,
    /// In memory; whether versions are pushed.
    Memory(Arc<Tier>, bool),
    /// The real one, and how many records of the stream were delivered.
    Valkey(Box<ValkeyServer>, Mood, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    Well,
    Stopped,
    Dead,
}

/// Tests have more patience than functions: what is held up here is the machine.
const TIMEOUT: Duration = Duration::from_millis(100);

impl Second {
    /// The one of a seed, in memory or not at all.
    pub(crate) fn drawn(seed: u64) -> Self {
        match seed % 4 {
            0 => Self::None,
            1 => Self::Memory(Tier::new(seed, false), true),
            kind => Self::Memory(Tier::new(seed, true), kind == 3),
        }
    }

    pub(crate) fn valkey() -> Self {
        Self::Valkey(Box::new(ValkeyServer::start()), Mood::Well, 0)
    }

    pub(crate) fn tier(&self, clock: Arc<SimClock>) -> Option<Arc<dyn SecondTier>> {
        match self {
            Self::None => None,
            Self::Memory(tier, _) => Some(tier.clone()),
            Self::Valkey(server, ..) => Some(Arc::new(Valkey::new(&config(server), clock).unwrap())),
        }
    }

    /// Something happens to it.
    pub(crate) async fn something(&mut self, rng: &mut Rng, stand: &Stand) {
        match self {
            Self::None => {}
            Self::Memory(tier, pushed) => match rng.u8(0..20) {
                0 => tier.forget(),
                1..=9 => tier.arrive(),
                _ if *pushed => push(tier, rng, stand),
                _ => {}
            },
            Self::Valkey(server, mood, delivered) => match rng.u8(0..40) {
                0 if *mood == Mood::Well => {
                    server.pause();
                    *mood = Mood::Stopped;
                }
                1 if *mood == Mood::Well => {
                    server.kill();
                    *mood = Mood::Dead;
                }
                2 if *mood == Mood::Well => drop(server.tell::<String>(&["FLUSHALL"])),
                3 if *mood == Mood::Well => {
                    let history = rng.choice(stand.histories.values()).unwrap();
                    let key = format!("tx2:{{{}}}:version", history.tenant);
                    let version = (history.latest() + rng.u64(1..3)).to_string();
                    server.tell::<String>(&["SET", &key, &version]);
                }
                4..=15 if *mood == Mood::Stopped => {
                    server.resume();
                    *mood = Mood::Well;
                }
                4..=15 if *mood == Mood::Dead => {
                    server.start_again();
                    *mood = Mood::Well;
                }
                16..=30 if *mood == Mood::Well => deliver(server, delivered, stand).await,
                _ => {}
            },
        }
    }
}

/// A version that is served is told of, or one that is none.
fn push(tier: &Tier, rng: &mut Rng, stand: &Stand) {
    let Some(history) = rng.choice(stand.histories.values()) else {
        return;
    };
    let version = match rng.u8(0..10) {
        0 => history.latest() + rng.u64(1..3),
        _ => history
            .published
            .last_key_value()
            .map_or(0, |(version, _)| *version),
    };
    tier.hint(history.tenant, version);
}

fn config(server: &ValkeyServer) -> ValkeyConfig {
    ValkeyConfig {
        timeout: TIMEOUT,
        ..ValkeyConfig::new(server.url())
    }
}

/// The real second deployment of the aggregator, and what of the stream has come meanwhile.
async fn deliver(server: &ValkeyServer, delivered: &mut usize, stand: &Stand) {
    let records = stand.db.stream_records(TABLE).split_off(*delivered);
    let function = "caches".to_owned();
    let config = CachesConfig {
        function,
        tier: Some(ValkeyConfig {
            timeout: Duration::from_secs(5),
            ..config(server)
        }),
        distribution: None,
    };
    let sdk = aws_sdk_cloudfront::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("eu-west-1"))
        .build();
    let cloudfront = aws_sdk_cloudfront::Client::from_conf(sdk);
    assert!(stand.clock.now_ms() > 0);
    let caches = Aggregator::of_caches(config, cloudfront, stand.clock.clone()).unwrap();
    let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
    let answer = serde_json::to_value(caches.handle(batch, Deadline::NONE).await).unwrap();
    assert_eq!(answer["batchItemFailures"], json!([]));
    *delivered += records.len();
}
