//! One run: the uploads of the quiet tenants on a deployment, beside a noisy tenant or alone.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use taxonomy_tests::prelude::*;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep, sleep_until};

use super::neighbour::{NOISY, Neighbour};
use super::platform::{Deployment, Platform};
use super::uploads::{Upload, uploads};

/// The latency of a request.
const LATENCY: Duration = Duration::from_millis(5);

/// The time after the last upload at which a run ends.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The outcome of a run for the quiet tenants. Only the delays have times.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) deployment: Deployment,
    /// Items of the log and of the aggregates.
    pub(crate) items: Vec<String>,
    /// Notifications by id.
    pub(crate) messages: BTreeMap<String, Value>,
    /// The time from the upload of a version to its publication, by tenant and version.
    pub(crate) delays: BTreeMap<(String, u64), Duration>,
}

/// Runs a seed.
pub(crate) async fn run(seed: u64, neighbour: Option<Neighbour>) -> Outcome {
    LocalSet::new()
        .run_until(Box::pin(run_local(seed, neighbour)))
        .await
}

async fn run_local(seed: u64, neighbour: Option<Neighbour>) -> Outcome {
    fastrand::seed(seed);
    let mut rng = Rng::with_seed(seed);
    let (deployment, uploads, salt) = (Deployment::drawn(&mut rng), uploads(&mut rng), rng.u64(..));
    let world = World::in_tokios_time();
    if let Some(neighbour) = neighbour {
        neighbour.prepare(&world, &mut rng).await;
        neighbour.inject_faults(&world);
    }
    world.transport.inject(When::always(), Fault::SlowAnswer(LATENCY));
    let platform = Platform::new(world, deployment, salt);
    platform.start();
    if let Some(neighbour) = neighbour {
        neighbour.start_uploads(&platform, &mut rng);
    }
    let began = Instant::now();
    let mut uploads = uploads;
    uploads.sort_by_key(|upload| upload.at);
    for upload in &uploads {
        sleep_until(began + upload.at).await;
        platform.upload(upload.tenant, &upload.file);
    }
    let last = Instant::now();
    while last.elapsed() < TIME_LIMIT && !all_published(&platform, &uploads) {
        sleep(Duration::from_millis(250)).await;
    }
    outcome(&platform, deployment, &uploads, began)
}

fn all_published(platform: &Platform, uploads: &[Upload]) -> bool {
    let published = platform.published();
    uploads.iter().all(|upload| {
        let mut published = published.iter();
        published.any(|(tenant, version, _)| (tenant.as_str(), *version) == (upload.tenant, upload.version))
    })
}

fn outcome(platform: &Platform, deployment: Deployment, uploads: &[Upload], began: Instant) -> Outcome {
    let mut outcome = Outcome {
        deployment,
        items: Vec::new(),
        messages: BTreeMap::new(),
        delays: BTreeMap::new(),
    };
    for (tenant, version, at) in platform.published() {
        let upload = uploads
            .iter()
            .find(|upload| (upload.tenant, upload.version) == (tenant.as_str(), version));
        if let Some(upload) = upload {
            let delay = at.duration_since(began + upload.at);
            outcome.delays.entry((tenant, version)).or_insert(delay);
        }
    }
    for message in platform.world.sns.published() {
        let mut message: Value = serde_json::from_str(&message.message).unwrap();
        if message["subject"] != NOISY {
            message.as_object_mut().unwrap().remove("time");
            message["data"].as_object_mut().unwrap().remove("committedAt");
            let id = message["id"].as_str().unwrap().to_owned();
            outcome.messages.insert(id, message);
        }
    }
    let lines = platform.world.db.dump(TABLE).into_iter();
    outcome.items = lines
        .filter(|line| line.starts_with("STATS#") || line.contains(" | CHANGESET#"))
        .filter(|line| !line.contains(NOISY))
        .map(|line| without_times(&line))
        .collect();
    outcome
}

/// Removes times, and version ids of the source bucket, which count the uploads of all tenants. The month is the same for all.
fn without_times(line: &str) -> String {
    let words = line.split(' ');
    let is_time = |word: &&str| {
        let times = ["ChangedAt=", "CommittedAt=", "version-"];
        times.iter().any(|time| word.starts_with(time))
    };
    words.filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
}
