//! Tenants and their versions, made once by the real projector, and any number of stacks that have them and no aggregates. The aggregator
//! reads the log and the changesets, which never change, and the head only to learn that the tenant exists.

use std::collections::BTreeMap;

use fastrand::Rng;
use taxonomy_testkit::s3::Object;
use taxonomy_tests::prelude::*;

use crate::content::Content;
use crate::draft::{Draft, refused};
use crate::raw::{flag, number, sha256, text};

use super::expected::{Expected, Version};

pub(crate) const TENANTS: [&str; 3] = ["acme", "globex", "umbrella"];

/// An event in the past of a tenant, which is given by its number.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A valid file is uploaded.
    Upload(usize, Value),
    /// A version is committed by a process that dies before it writes an item; nothing else happens to the tenant until its next upload.
    Unprojected(usize, Value),
    /// An operator rebuilds the projection.
    Rebuild(usize),
    /// An operator rolls back to a version.
    RollBack(usize, u64),
    /// A file is uploaded that the projector refuses.
    Refused(usize, Value),
    /// Days pass.
    Days(u64),
}

/// The past of a tenant.
pub(crate) struct Past {
    pub(crate) tenant: String,
    pub(crate) newest: u64,
    pub(crate) expected: Expected,
    /// The versions that the stream reports, in its order.
    pub(crate) committed: Vec<u64>,
    /// The ETags of the refused files that the stream reports.
    pub(crate) refused: Vec<String>,
}

/// A record of the stream.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) tenant: usize,
    pub(crate) json: Value,
    /// The version that was committed.
    pub(crate) committed: Option<u64>,
    /// The ETag of a file that was refused.
    pub(crate) refused: Option<String>,
}

pub(crate) struct History {
    pub(crate) pasts: Vec<Past>,
    pub(crate) records: Vec<Record>,
    /// The number of records of the first steps.
    pub(crate) before: usize,
    log: Vec<Item>,
    /// The last head of each tenant.
    heads: Vec<Item>,
    bodies: Vec<(String, Object)>,
}

/// Draws the steps of a history.
pub(crate) fn drawn(seed: u64, with_unprojected: bool) -> Vec<Step> {
    let mut rng = Rng::with_seed(seed);
    let mut steps = Vec::new();
    let mut drafts: Vec<Vec<Draft>> = vec![Vec::new(); rng.usize(1..=TENANTS.len())];
    let mut left: Vec<usize> = drafts.iter().map(|_| rng.usize(2..=6)).collect();
    loop {
        let open: Vec<usize> = (0..left.len()).filter(|tenant| left[*tenant] > 0).collect();
        let Some(tenant) = rng.choice(open) else {
            return steps;
        };
        left[tenant] -= 1;
        if rng.u8(..5) == 0 {
            steps.push(Step::Days(rng.u64(1..=20)));
        }
        let past = &mut drafts[tenant];
        if !past.is_empty() && rng.u8(..6) == 0 {
            steps.push(match rng.u8(..4) {
                0 | 1 => Step::Rebuild(tenant),
                2 => Step::RollBack(tenant, 1),
                _ => Step::Refused(tenant, refused(rng.u64(..5))),
            });
            continue;
        }
        let next = match past.as_slice() {
            [] => Draft::drawn(&mut rng),
            // The last edits are undone, so that counts rise and fall again.
            [.., before, _] if rng.u8(..4) == 0 => before.clone(),
            [.., last] => last.edited(&mut rng),
        };
        let file = next.file();
        let is_unprojected = with_unprojected && !past.is_empty() && left[tenant] > 0 && rng.u8(..4) == 0;
        past.push(next);
        steps.push(if is_unprojected {
            Step::Unprojected(tenant, file)
        } else {
            Step::Upload(tenant, file)
        });
    }
}

impl History {
    /// Performs the steps, the first `past` of which are the past of a script.
    pub(crate) async fn of(steps: &[Step], past: usize) -> Self {
        let (world, mut uploads) = (World::new(), BTreeMap::new());
        let mut before = 0;
        for (position, step) in steps.iter().enumerate() {
            if position == past {
                before = records(&world).len();
            }
            if let Step::Upload(_, file) | Step::Unprojected(_, file) = step {
                uploads.insert(sha256(file.to_string().as_bytes()), file.clone());
            }
            Box::pin(perform(&world, step)).await;
        }
        // The items of the last version of each tenant are written.
        for tenant in TENANTS {
            let tenant = tenant.parse().unwrap();
            drop(world.service().reconcile(&tenant, Deadline::NONE).await);
        }
        let items = world.db.items(TABLE);
        let with_sort_key = |prefix: &str| -> Vec<Item> {
            let items = items.iter();
            let items = items.filter(|item| text(item, "SK").starts_with(prefix));
            items.cloned().collect()
        };
        let (heads, log) = (with_sort_key("HEAD"), with_sort_key("CHANGESET#"));
        let records = records(&world);
        let pasts = TENANTS.iter().enumerate().map(|(number, tenant)| {
            let records = records.iter().filter(|record| record.tenant == number);
            Past::of(tenant, &log, &uploads, &records.collect::<Vec<_>>())
        });
        let pasts = pasts.collect();
        let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
        let bodies = keys.filter(|key| key.starts_with("changesets/")).map(|key| {
            let body = world.s3.object(CHANGESETS_BUCKET, &key).unwrap();
            (key, body)
        });
        Self {
            pasts,
            before,
            records,
            log,
            heads,
            bodies: bodies.collect(),
        }
    }

    /// Creates a stack with this history and without aggregates.
    pub(crate) async fn world(&self) -> World {
        let world = World::new();
        for item in self.log.iter().chain(&self.heads) {
            world.put_by_hand(item.clone()).await;
        }
        for (key, body) in &self.bodies {
            let encoding = body.encoding.as_deref();
            let metadata = body.metadata.iter();
            let metadata: Vec<(&str, &str)> = metadata
                .map(|(name, value)| (name.as_str(), value.as_str()))
                .collect();
            world
                .s3
                .put_with(CHANGESETS_BUCKET, key, body.bytes.clone(), encoding, &metadata);
        }
        world.exchanges().clear();
        world
    }
}

impl Past {
    fn of(tenant: &str, log: &[Item], uploads: &BTreeMap<String, Value>, records: &[&Record]) -> Self {
        let committed: Vec<u64> = records.iter().filter_map(|record| record.committed).collect();
        let mut versions: Vec<Version> = Vec::new();
        let partition = format!("TAXONOMY#{tenant}");
        for entry in log.iter().filter(|item| text(item, "PK") == partition) {
            let content = match text(entry, "Cause").as_str() {
                "upload" => Content::of_file(&uploads[&text(entry, "Source.Sha256")]),
                "rebuild" => versions.last().unwrap().content.clone(),
                "rollback" => {
                    let to = usize::try_from(number(entry, "To")).unwrap();
                    versions[to - 1].content.clone()
                }
                other => panic!("no step makes a version by {other}"),
            };
            versions.push(Version {
                content,
                committed_at: number(entry, "CommittedAt"),
                is_full: flag(entry, "Full"),
            });
        }
        let newest = versions.len() as u64;
        assert!(
            committed.iter().copied().eq(1..=newest),
            "each version of {tenant} has a record: {committed:?}"
        );
        Self {
            tenant: tenant.to_owned(),
            newest,
            expected: Expected::of(tenant, &versions),
            committed,
            refused: records
                .iter()
                .filter_map(|record| record.refused.clone())
                .collect(),
        }
    }
}

async fn perform(world: &World, step: &Step) {
    match step {
        Step::Upload(tenant, file) | Step::Refused(tenant, file) => {
            world.push(TENANTS[*tenant], file.to_string().as_bytes()).await;
        }
        Step::Unprojected(tenant, file) => {
            let event = world.upload(TENANTS[*tenant], file.to_string().as_bytes());
            world
                .dies(event, When::nth(1).operation("PutItem"), Fault::Crash)
                .await;
            // The heartbeat of the dead process ends, or the next one would leave the tenant to it.
            world.pass(200);
        }
        Step::Rebuild(tenant) => drop(world.rebuild(TENANTS[*tenant]).await),
        Step::RollBack(tenant, to) => drop(world.roll_back(TENANTS[*tenant], *to).await),
        Step::Days(days) => world.pass(days * 86_400),
    }
}

/// Returns the records that pass the filter of the stream: those of heads.
fn records(world: &World) -> Vec<Record> {
    world.head_records().into_iter().map(record).collect()
}

fn record(json: Value) -> Record {
    let partition = json["dynamodb"]["Keys"]["PK"]["S"].as_str().unwrap();
    let tenant = partition.strip_prefix("TAXONOMY#").unwrap();
    let version = |image: &str| -> u64 {
        let number = json["dynamodb"][image]["V"]["N"].as_str();
        number.map_or(0, |number| number.parse().unwrap())
    };
    let refused = |image: &str| {
        let etag = json["dynamodb"][image]["Refused"]["M"]["ETag"]["S"].as_str();
        etag.map(str::to_owned)
    };
    let is_new_refusal = refused("NewImage") != refused("OldImage");
    let (before, now) = (version("OldImage"), version("NewImage"));
    Record {
        tenant: TENANTS.iter().position(|known| *known == tenant).unwrap(),
        committed: (before != now).then_some(now),
        refused: refused("NewImage").filter(|_| is_new_refusal),
        json,
    }
}
