//! What the cache tiers save: the same lookups, as they might come, answered with and without them. 3,000 over a sample with every
//! `cargo test`, 100,000 over real taxonomies with `PROVE=all`.
//!
//! | File | What is in it |
//! |---|---|
//! | `asks` | what is asked: few terms often, most of them seldom |
//! | `variant` | four processes of the lookup with so much of a cache, and what they cost |
//! | `tier` | the second tier, and how often it is asked |
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and what is missing is its fault"
)]

mod asks;
mod tier;
mod variant;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_model::Hash;
use taxonomy_testkit::fixtures::{ACME, GLOBEX, NEW_YEAR_MS, TABLE};
use taxonomy_testkit::{EmbeddedDynamoDb, ValkeyServer};
use taxonomy_tests::world::{World, read, sample};
use taxonomy_tests::{closing, effort};
use taxonomy_valkey::{Valkey, ValkeyConfig};

use asks::{Ask, asks};
use variant::{Oracle, PROCESSES, Variant};

const SEED: u64 = 10;
/// Between two lookups. Two seconds, after which a head is read again, are 200 of them.
const STEP_MS: u64 = 10;
/// A process gives way to a new one after so many lookups of them all, each time another one.
const RECYCLED_EVERY: usize = 5_000;
/// So many lookups after a version was projected may still be answered from the one before: two seconds of them.
const MAY_BE_OLD: usize = 200;
/// Version 1 is as old as that when the lookups begin.
const AN_HOUR_MS: u64 = 3_600_000;
const MIB: u64 = 1 << 20;

/// The files of this replay: two versions for [`ACME`], one for [`GLOBEX`].
struct Files {
    what: &'static str,
    first: Vec<u8>,
    second: Vec<u8>,
    other: Vec<u8>,
    lookups: usize,
}

#[tokio::test]
async fn the_tiers_answer_alike_and_save_requests() {
    let Files {
        what,
        first,
        second,
        other,
        lookups,
    } = files();
    // One for each variant: what one has put there must not be another's hit.
    let servers = [ValkeyServer::start(), ValkeyServer::start()];
    let mut world = World::new();
    world.max_file_bytes = 16 * MIB;
    world.db.stop_stream(TABLE);
    let now = Arc::new(AtomicU64::new(NEW_YEAR_MS + AN_HOUR_MS));
    publish(&world, ACME, &first, NEW_YEAR_MS).await;
    publish(&world, GLOBEX, &other, NEW_YEAR_MS).await;
    let asks = asks(SEED, &read(&first), &read(&other), lookups);

    let mut variants = [
        Variant::new("no cache", 0, None),
        Variant::new("first tier of 1 MiB", MIB, None),
        Variant::new("first tier of 64 MiB", 64 * MIB, None),
        Variant::new("first tier of 1 MiB, second tier", MIB, Some(servers[0].url())),
        Variant::new(
            "first tier of 64 MiB, second tier",
            64 * MIB,
            Some(servers[1].url()),
        ),
    ];
    for variant in &mut variants {
        for process in 0..PROCESSES {
            variant.start(&world.db, &now, process).await;
        }
    }
    let oracle = Oracle::over(&world.db);
    let (middle, mut before, mut bodies) = (lookups / 2, Vec::new(), String::new());
    for (number, ask) in asks.iter().enumerate() {
        if number == middle {
            let soon = &asks[middle..lookups.min(middle + MAY_BE_OLD + 1)];
            before = oracle.answers(soon).await;
            publish(&world, ACME, &second, now.load(Ordering::SeqCst)).await;
            for server in &servers {
                tell(server, &world, ACME).await;
            }
        }
        if number % RECYCLED_EVERY == RECYCLED_EVERY - 1 {
            for variant in &mut variants {
                variant
                    .start(&world.db, &now, number / RECYCLED_EVERY % PROCESSES)
                    .await;
            }
        }
        let old = number.checked_sub(middle).and_then(|since| before.get(since));
        let mut reference = match old {
            Some(_) => Some(oracle.answer(ask).await),
            None => None,
        };
        for variant in &mut variants {
            let got = variant.ask(&world.db, ask).await;
            let new = reference.get_or_insert_with(|| got.clone());
            assert!(
                got == *new || old.is_some_and(|old| is_of_either(&got, old, new)),
                "{}, lookup {number}, {}:\n{got}\ninstead of\n{new}",
                variant.name,
                ask.target
            );
        }
        bodies = Hash::of(format!("{bodies}{}", reference.unwrap()).as_bytes()).to_string();
        now.fetch_add(STEP_MS, Ordering::SeqCst);
    }
    report(what, &variants, &asks, &bodies);
}

/// While a head of before may be believed, what was in memory is of the version before, and what was not is newer than the answer says: part
/// by part it is one or the other.
fn is_of_either(got: &str, old: &str, new: &str) -> bool {
    fn mixed(got: &Value, old: &Value, new: &Value) -> bool {
        got == old
            || got == new
            || match got {
                Value::Object(parts) => parts
                    .iter()
                    .all(|(name, part)| mixed(part, &old[name], &new[name])),
                Value::Array(parts) => (0..)
                    .zip(parts)
                    .all(|(number, part): (usize, _)| mixed(part, &old[number], &new[number])),
                _ => false,
            }
    }
    let parse = |answer: &str| {
        answer
            .split_once(' ')
            .map(|(_, body)| serde_json::from_str(body).unwrap())
    };
    let [got, old, new] = [got, old, new].map(|answer| parse(answer).unwrap_or(Value::Null));
    mixed(&got, &old, &new)
}

/// Each variant in a line, and that more cache is never more requests.
fn report(what: &str, variants: &[Variant], asks: &[Ask], bodies: &str) {
    let all = variants[0].entries();
    let mut lines = format!(
        "replay: {} lookups over {what}, Zipf with exponent 1.0, seed {SEED}, {PROCESSES} processes: all answers equal, {}\n",
        asks.len(),
        &bodies[..16],
    );
    for variant in variants {
        lines.push_str(&format!("replay: {}\n", variant.line(all, asks.len())));
    }
    closing::tell(&lines);

    let [none, small, large, small_both, large_both] = variants else {
        unreachable!("there are five");
    };
    for (more, less) in [
        (none, small),
        (small, large),
        (small, small_both),
        (large, large_both),
    ] {
        assert!(
            less.requests() <= more.requests(),
            "{}: {}, {}: {}",
            less.name,
            less.requests(),
            more.name,
            more.requests()
        );
        assert!(less.units() <= more.units(), "{}", less.name);
    }
    assert!(large.requests() * 2 < none.requests());
    assert!(large_both.requests() < large.requests());
    assert!(variants.iter().all(|variant| variant.trouble() == 0));
}

/// What there is: real taxonomies for everything, the project's own sample for a little.
fn files() -> Files {
    let of_sample = |lookups| Files {
        what: "samples/job-board",
        first: sample("job-board-v1.json"),
        second: sample("job-board-v2.json"),
        other: sample("job-board-v1.json"),
        lookups,
    };
    if !effort::everything() {
        return of_sample(3_000);
    }
    let folder = effort::variable("TAXONOMY_DATA")
        .unwrap_or_else(|| format!("{}/../../shared/data", env!("CARGO_MANIFEST_DIR")));
    let real = |name: &str| std::fs::read(format!("{folder}/{name}"));
    let files = (
        real("google/taxonomy-v1.json"),
        real("google/taxonomy-v2.json"),
        real("esco/occupations-v1.json"),
    );
    match files {
        (Ok(first), Ok(second), Ok(other)) => Files {
            what: "google v1, then v2, and esco",
            first,
            second,
            other,
            lookups: 100_000,
        },
        _ => {
            let missing = format!(
                "replay: {folder} has not the real taxonomies, so only the sample is asked; TAXONOMY_DATA names another folder\n"
            );
            closing::tell(&missing);
            of_sample(100_000)
        }
    }
}

/// Uploads a version and has it projected. The projector's clock jumps as it likes; the lookups' says when it was.
async fn publish(world: &World, tenant: &str, file: &[u8], at: u64) {
    world.push(tenant, file).await;
    let head = world.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "HEAD");
    let mut head = head.unwrap();
    head.insert("ProjectedAt".to_owned(), AttributeValue::N(at.to_string()));
    world.put_by_hand(head).await;
    assert!(world.committed(tenant).await.is_settled());
    world.exchanges().clear();
}

/// What the aggregator does when a version is projected.
async fn tell(server: &ValkeyServer, world: &World, tenant: &str) {
    let version = world.committed(tenant).await.version;
    let (config, tenant): (_, TenantId) = (ValkeyConfig::new(server.url()), tenant.parse().unwrap());
    let valkey = Valkey::new(&tier::patient(config), Arc::new(|| NEW_YEAR_MS)).unwrap();
    assert_eq!(valkey.advance(&tenant, version).await.unwrap(), version);
    world.exchanges().clear();
}

/// What was sent to the table since the last time.
fn sent(db: &EmbeddedDynamoDb) -> Vec<taxonomy_testkit::Exchange> {
    let sent = db.exchanges().all();
    db.exchanges().clear();
    sent
}
