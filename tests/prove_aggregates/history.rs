//! Tenants and their versions, made once by the real projector; then as many worlds as are wanted that hold them, and nothing that is
//! counted. The aggregator reads the log and the changesets, and these never change; of a head it reads that there is
//! one.

use std::collections::BTreeMap;

use fastrand::Rng;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use taxonomy_model::Provenance;
use taxonomy_protocol::Deadline;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::s3::Object;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::World;

use crate::counts::Content;
use crate::files::{Draft, refused};
use crate::oracle::{Expected, Version};

pub(crate) const TENANTS: [&str; 3] = ["acme", "globex", "umbrella"];

/// Something that happens to a tenant, by number.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Upload(usize, Value),
    /// Committed by a process that dies before it writes an item, and nobody looks at the tenant until the next upload.
    Overtaken(usize, Value),
    Rebuild(usize),
    /// Back to a version.
    RollBack(usize, u64),
    /// An upload that is refused.
    Refused(usize, Value),
    Days(u64),
}

/// A version that the stream says is projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Projected {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// What there is of a tenant.
pub(crate) struct Past {
    pub(crate) tenant: String,
    pub(crate) newest: u64,
    pub(crate) expected: Expected,
    /// In the order of the stream.
    pub(crate) projected: Vec<Projected>,
    /// The ETags of what the stream says was refused.
    pub(crate) refused: Vec<String>,
}

/// A record of the stream.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) tenant: usize,
    pub(crate) json: Value,
    pub(crate) projected: Option<Projected>,
    /// The ETag of what is refused.
    pub(crate) refused: Option<String>,
}

pub(crate) struct History {
    pub(crate) pasts: Vec<Past>,
    pub(crate) records: Vec<Record>,
    /// How many records there were after the first steps, as many as were said.
    pub(crate) before: usize,
    log: Vec<Item>,
    /// The last head of each tenant, by which the aggregator knows that the tenant is there.
    heads: Vec<Item>,
    bodies: Vec<(String, Object)>,
}

/// What happens in a drawn history.
pub(crate) fn drawn(seed: u64, overtaken: bool) -> Vec<Step> {
    let mut rng = Rng::with_seed(seed);
    let mut steps = Vec::new();
    let mut pasts: Vec<Vec<Draft>> = vec![Vec::new(); rng.usize(1..=TENANTS.len())];
    let mut left: Vec<usize> = pasts.iter().map(|_| rng.usize(2..=6)).collect();
    loop {
        let busy: Vec<usize> = (0..left.len()).filter(|tenant| left[*tenant] > 0).collect();
        let Some(tenant) = rng.choice(busy) else {
            return steps;
        };
        left[tenant] -= 1;
        if rng.u8(..5) == 0 {
            steps.push(Step::Days(rng.u64(1..=20)));
        }
        let past = &mut pasts[tenant];
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
            // What was done is undone: counts go up and down again.
            [.., before, _] if rng.u8(..4) == 0 => before.clone(),
            [.., last] => last.edited(&mut rng),
        };
        let file = next.file();
        let is_overtaken = overtaken && !past.is_empty() && left[tenant] > 0 && rng.u8(..4) == 0;
        past.push(next);
        steps.push(if is_overtaken {
            Step::Overtaken(tenant, file)
        } else {
            Step::Upload(tenant, file)
        });
    }
}

impl History {
    /// What becomes of these steps; the first so many of them are the past of a scenario.
    pub(crate) async fn of(steps: &[Step], past: usize) -> Self {
        let (world, mut uploads) = (World::new(), BTreeMap::new());
        let mut before = 0;
        for (position, step) in steps.iter().enumerate() {
            if position == past {
                before = records(&world).len();
            }
            if let Step::Upload(_, file) | Step::Overtaken(_, file) = step {
                uploads.insert(sha256(file.to_string().as_bytes()), file.clone());
            }
            Box::pin(happens(&world, step)).await;
        }
        // Whoever was overtaken last is finished.
        for tenant in TENANTS {
            let tenant = tenant.parse().unwrap();
            drop(world.taxonomies().reconcile(&tenant, Deadline::NONE).await);
        }
        let items = world.db.items(TABLE);
        let heads: Vec<Item> = items
            .iter()
            .filter(|item| text(item, "SK") == "HEAD")
            .cloned()
            .collect();
        let log: Vec<Item> = items
            .into_iter()
            .filter(|item| text(item, "SK").starts_with("CHANGESET#"))
            .collect();
        let records = records(&world);
        let pasts = TENANTS.iter().enumerate().map(|(number, tenant)| {
            let mine = records.iter().filter(|record| record.tenant == number);
            Past::of(tenant, &log, &uploads, &mine.collect::<Vec<_>>())
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

    /// A world in which all of it has happened and nothing was counted.
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
        let projected: Vec<Projected> = records.iter().filter_map(|record| record.projected).collect();
        let mut versions: Vec<Version> = Vec::new();
        let partition = format!("TAXONOMY#{tenant}");
        for entry in log.iter().filter(|item| text(item, "PK") == partition) {
            let content = match text(entry, "Cause").as_str() {
                "upload" => {
                    let source = entry["Source"].as_m().unwrap();
                    Content::of(&uploads[source["Sha256"].as_s().unwrap()])
                }
                "rebuild" => versions.last().unwrap().content.clone(),
                "rollback" => {
                    let to: usize = entry["To"].as_n().unwrap().parse().unwrap();
                    versions[to - 1].content.clone()
                }
                other => panic!("no step leads to a version by {other}"),
            };
            versions.push(Version {
                content,
                committed_at: entry["CommittedAt"].as_n().unwrap().parse().unwrap(),
                is_full: entry.get("Full").is_some_and(|full| full.as_bool() == Ok(&true)),
            });
        }
        let newest = versions.len() as u64;
        let last = projected.last().map_or(0, |projected| projected.to);
        assert_eq!(last, newest, "everything of {tenant} is projected in the end");
        Self {
            tenant: tenant.to_owned(),
            newest,
            expected: Expected::of(tenant, &versions),
            projected,
            refused: records
                .iter()
                .filter_map(|record| record.refused.clone())
                .collect(),
        }
    }
}

async fn happens(world: &World, step: &Step) {
    match step {
        Step::Upload(tenant, file) | Step::Refused(tenant, file) => {
            world.push(TENANTS[*tenant], file.to_string().as_bytes()).await;
        }
        Step::Overtaken(tenant, file) => {
            let event = world.upload(TENANTS[*tenant], file.to_string().as_bytes());
            world.wire.inject(When::nth(1).operation("PutItem"), Fault::Crash);
            let projector = world.projector();
            let handled = projector.handle(event, Deadline::NONE);
            drop(world.wire.until_crash(handled).await);
            world.wire.reset_faults();
            // The heartbeat of the dead process ends, or what follows would be left to it.
            world.pass(200);
        }
        Step::Rebuild(tenant) => {
            let (tenant, taxonomies) = (TENANTS[*tenant].parse().unwrap(), world.taxonomies());
            taxonomies.rebuild(&tenant, Provenance::default()).await.unwrap();
            taxonomies.reconcile(&tenant, Deadline::NONE).await.unwrap();
        }
        Step::RollBack(tenant, to) => {
            let (tenant, taxonomies) = (TENANTS[*tenant].parse().unwrap(), world.taxonomies());
            let to = taxonomy_keys::Version::new(*to).unwrap();
            taxonomies
                .roll_back(&tenant, to, Provenance::default())
                .await
                .unwrap();
            taxonomies.reconcile(&tenant, Deadline::NONE).await.unwrap();
        }
        Step::Days(days) => world.pass(days * 86_400),
    }
}

/// What the filter of the stream lets pass: heads.
fn records(world: &World) -> Vec<Record> {
    let records = world.db.stream_records(TABLE).into_iter();
    let heads = records.filter(|record| record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD");
    heads
        .map(|json| {
            let partition = json["dynamodb"]["Keys"]["PK"]["S"].as_str().unwrap();
            let tenant = partition.strip_prefix("TAXONOMY#").unwrap();
            let at = |image: &str| -> u64 {
                let number = json["dynamodb"][image]["Projected"]["N"].as_str();
                number.map_or(0, |number| number.parse().unwrap())
            };
            let refused = |image: &str| {
                let etag = json["dynamodb"][image]["Refused"]["M"]["ETag"]["S"].as_str();
                etag.map(str::to_owned)
            };
            let is_news = refused("NewImage") != refused("OldImage");
            let (from, to) = (at("OldImage"), at("NewImage"));
            Record {
                tenant: TENANTS.iter().position(|known| *known == tenant).unwrap(),
                projected: (from != to).then_some(Projected { from, to }),
                refused: refused("NewImage").filter(|_| is_news),
                json,
            }
        })
        .collect()
}

fn text(item: &Item, name: &str) -> String {
    let text = item.get(name).and_then(|value| value.as_s().ok());
    text.cloned().unwrap_or_default()
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
