//! The ways in which the noisy tenant fails.

use std::rc::Rc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;
use taxonomy_model::Counts;
use taxonomy_tests::prelude::*;
use tokio::task::spawn_local;
use tokio::time::sleep;

use super::categories::put_categories;
use super::platform::Platform;
use super::uploads::file;

pub(crate) const NOISY: &str = "noisy";
/// The log entry of its first version.
const LOG: (&str, &str) = ("TAXONOMY#noisy", "CHANGESET#000000000001");

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
        let entry = world.entry(NOISY, 1).await;
        match self {
            Self::DamagedChangeset => {
                let mut bytes = world.body(&entry.changeset_key);
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0xFF;
                world.put_body(&entry.changeset_key, bytes);
            }
            Self::MissingSnapshot => world.lose(&entry.snapshot_key),
            Self::HoleInTheLog => world.delete_by_hand(&world.item(LOG.0, LOG.1)).await,
            Self::UnknownFormat => {
                let later = br#"{"formatVersion":2,"facts":[]}"#;
                let later = zstd::encode_all(&later[..], 3).unwrap();
                world.put_body(&entry.changeset_key, later);
            }
            Self::HeaderAtTheBound => {
                put_categories(world, &NOISY.parse().unwrap(), 2_001, &Counts::default()).await;
            }
            Self::ItemChangedByHand => {
                let changes = [("Source", (LOG.0, "HEAD")), ("Totals", LOG)];
                let (name, item) = rng.choice(changes).unwrap();
                world.alter(item, name, Some(AttributeValue::Null(true))).await;
            }
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
                    world.inject(writes, Fault::Throttle);
                }
            }
            Self::LoadThatNeverFits => {
                // One item in ten minutes.
                let writes = When::always().operation("PutItem").containing("TERM#noisy");
                let slow = Fault::SlowBeforeApply(Duration::from_secs(600));
                world.inject(writes, slow);
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
