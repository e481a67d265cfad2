//! The ways in which the noisy tenant fails.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use taxonomy_keys::Version;
use taxonomy_model::Counts;
use taxonomy_store::LogEntry;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::World;
use tokio::task::spawn_local;
use tokio::time::sleep;

use super::categories::put_categories;
use super::platform::Platform;
use super::uploads::file;

pub(crate) const NOISY: &str = "noisy";

/// A way to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Neighbour {
    /// Its first changeset has other bytes.
    DamagedChangeset,
    /// The snapshot of its first version is missing, so no later version can be compared with it.
    MissingSnapshot,
    /// Its log lacks the first version.
    HoleInTheLog,
    /// Its first changeset has a format of a later build.
    UnknownFormat,
    /// Its first changeset has more categories than the aggregator counts before it defers.
    HeaderAtTheBound,
    /// Its log entry or its head was changed by hand.
    ItemChangedByHand,
    /// Its partitions are throttled for hours.
    ThrottledPartition,
    /// It uploads every second.
    UploadsEverySecond,
    /// Its projection takes longer than all invocations together.
    LoadThatNeverFits,
}

impl Neighbour {
    pub(crate) const ALL: [Self; 9] = [
        Self::DamagedChangeset,
        Self::MissingSnapshot,
        Self::HoleInTheLog,
        Self::UnknownFormat,
        Self::HeaderAtTheBound,
        Self::ItemChangedByHand,
        Self::ThrottledPartition,
        Self::UploadsEverySecond,
        Self::LoadThatNeverFits,
    ];

    /// Makes the first version of the noisy tenant, and damages it.
    pub(crate) async fn prepare(self, world: &World, rng: &mut Rng) {
        world.push(NOISY, &file(rng, 1)).await;
        let entry = entry(world).await;
        match self {
            Self::DamagedChangeset => damage(world, &entry.changeset_key),
            Self::MissingSnapshot => world.s3.delete(CHANGESETS_BUCKET, &entry.snapshot_key),
            Self::HoleInTheLog => world.delete_by_hand(&log_item(world)).await,
            Self::UnknownFormat => {
                let later = br#"{"formatVersion":2,"facts":[]}"#;
                let later = zstd::encode_all(&later[..], 3).unwrap();
                world.s3.put(CHANGESETS_BUCKET, &entry.changeset_key, later);
            }
            Self::HeaderAtTheBound => {
                put_categories(world, &NOISY.parse().unwrap(), 2_001, &Counts::default()).await;
            }
            Self::ItemChangedByHand => change_by_hand(world, rng).await,
            Self::ThrottledPartition | Self::UploadsEverySecond | Self::LoadThatNeverFits => {}
        }
    }

    /// Injects the faults of its requests.
    pub(crate) fn inject_faults(self, world: &World) {
        let partitions = ["STATS#noisy", "TERM#noisy", "CATEGORY#noisy"];
        match self {
            Self::ThrottledPartition => {
                for partition in partitions {
                    let writes = When::always().operation("PutItem").containing(partition);
                    world.transport.inject(writes, Fault::Throttle);
                }
            }
            Self::LoadThatNeverFits => {
                // One item in ten minutes.
                let writes = When::always().operation("PutItem").containing("TERM#noisy");
                world
                    .transport
                    .inject(writes, Fault::SlowBeforeApply(Duration::from_secs(600)));
            }
            _ => {}
        }
    }

    /// Starts its uploads.
    pub(crate) fn start_uploads(self, platform: &Rc<Platform>, rng: &mut Rng) {
        let (uploads, pause) = match self {
            Self::UploadsEverySecond => (60, Duration::from_secs(1)),
            _ => (3, Duration::from_secs(60)),
        };
        let mut rng = rng.fork();
        let platform = Rc::clone(platform);
        spawn_local(async move {
            for version in 2..2 + uploads {
                platform.upload(NOISY, &file(&mut rng, version));
                sleep(pause).await;
            }
        });
    }
}

async fn entry(world: &World) -> LogEntry {
    let entry = world.heads().entry(&NOISY.parse().unwrap(), Version::FIRST).await;
    entry.unwrap().unwrap()
}

fn log_item(world: &World) -> Item {
    let partition = format!("TAXONOMY#{NOISY}");
    world
        .db
        .item(TABLE, &partition, "CHANGESET#000000000001")
        .unwrap()
}

fn damage(world: &World, key: &str) {
    let mut bytes = world.s3.object(CHANGESETS_BUCKET, key).unwrap().bytes.to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xFF;
    world.s3.put(CHANGESETS_BUCKET, key, bytes);
}

async fn change_by_hand(world: &World, rng: &mut Rng) {
    let partition = format!("TAXONOMY#{NOISY}");
    let head = world.db.item(TABLE, &partition, "HEAD").unwrap();
    let changes: BTreeMap<&str, Item> = [("Totals", log_item(world)), ("Source", head)].into();
    let (name, mut item) = rng.choice(changes).unwrap();
    item.insert(name.to_owned(), AttributeValue::Null(true));
    world.put_by_hand(item).await;
}
