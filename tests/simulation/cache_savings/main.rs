//! The savings of the cache tiers: the same requests to lookups with and without them. 3,000 requests over a sample with every `cargo test`,
//! 100,000 over real taxonomies with `PROVE=all`.
//!
//! | File | Contents |
//! |---|---|
//! | `requests` | the requests: few terms often, most of them seldom |
//! | `variant` | four lookup processes with caches of one size, and the requests and units that they use |
//! | `counting_tier` | the second tier with counts of its use |
//! | `from_files` | what batches and lists cost in reads of files |
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod counting_tier;
mod from_files;
mod requests;
mod variant;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_model::Hash;
use taxonomy_testkit::fixtures::{ACME, GLOBEX, NEW_YEAR_MS, TABLE};
use taxonomy_testkit::{EmbeddedDynamoDb, ValkeyServer};
use taxonomy_tests::world::{World, read, sample};
use taxonomy_tests::{budget, summary};
use taxonomy_valkey::{Valkey, ValkeyConfig};

use requests::{Request, requests};
use variant::{Oracle, PROCESSES, Variant};

const SEED: u64 = 10;
/// The time between two requests. Two seconds, after which a head is read again, are 200 of them.
const STEP_MS: u64 = 10;
/// The number of requests after which a new process replaces one of the processes, in turn.
const RECYCLED_EVERY: usize = 5_000;
/// The number of requests after a projection whose responses may be from the version before: two seconds of them.
const MAY_BE_STALE: usize = 200;
/// The age of version 1 at the first request.
const AN_HOUR_MS: u64 = 3_600_000;
const MIB: u64 = 1 << 20;

/// The files: two versions for [`ACME`], one for [`GLOBEX`].
struct Files {
    name: &'static str,
    first: Vec<u8>,
    second: Vec<u8>,
    other: Vec<u8>,
    requests: usize,
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
async fn the_tiers_change_no_response_and_save_requests() {
    let Files {
        name,
        first,
        second,
        other,
        requests: count,
    } = files();
    // One for each variant, so that no variant has hits on entries of another.
    let servers = [ValkeyServer::start(), ValkeyServer::start()];
    let mut world = World::new();
    world.max_file_bytes = 16 * MIB;
    world.db.stop_stream(TABLE);
    let now = Arc::new(AtomicU64::new(NEW_YEAR_MS + AN_HOUR_MS));
    publish(&world, ACME, &first, NEW_YEAR_MS).await;
    publish(&world, GLOBEX, &other, NEW_YEAR_MS).await;
    let requests = requests(SEED, &read(&first), &read(&other), count);

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
            variant.start(&world, &now, process).await;
        }
    }
    let oracle = Oracle::over(&world);
    let (middle, mut before, mut bodies) = (count / 2, Vec::new(), String::new());
    for (number, request) in requests.iter().enumerate() {
        if number == middle {
            let soon = &requests[middle..count.min(middle + MAY_BE_STALE + 1)];
            before = oracle.responses(soon).await;
            publish(&world, ACME, &second, now.load(Ordering::SeqCst)).await;
            for server in &servers {
                hint(server, &world, ACME).await;
            }
        }
        if number % RECYCLED_EVERY == RECYCLED_EVERY - 1 {
            for variant in &mut variants {
                variant
                    .start(&world, &now, number / RECYCLED_EVERY % PROCESSES)
                    .await;
            }
        }
        let old = number.checked_sub(middle).and_then(|since| before.get(since));
        let mut reference = match old {
            Some(_) => Some(oracle.response(request).await),
            None => None,
        };
        for variant in &mut variants {
            let got = variant.send(&world, request).await;
            let new = reference.get_or_insert_with(|| got.clone());
            assert!(
                got == *new || old.is_some_and(|old| got == *old),
                "{}, request {number}, {}:\n{got}\ninstead of\n{new}",
                variant.name,
                request.target
            );
        }
        bodies = Hash::digest(format!("{bodies}{}", reference.unwrap()).as_bytes()).to_string();
        now.fetch_add(STEP_MS, Ordering::SeqCst);
    }
    report(name, &variants, &requests, &bodies);
}

/// Prints a line for each variant, and checks that more cache never uses more requests.
fn report(name: &str, variants: &[Variant], requests: &[Request], bodies: &str) {
    let all = variants[0].missed();
    let mut lines = format!(
        "savings: {} requests over {name}, Zipf with exponent 1.0, seed {SEED}, {PROCESSES} processes: all responses equal, {}\n",
        requests.len(),
        &bodies[..16],
    );
    for variant in variants {
        lines.push_str(&format!("savings: {}\n", variant.line(all, requests.len())));
    }
    summary::print(&lines);

    let [none, small, large, small_both, large_both] = variants else {
        unreachable!("there are five variants");
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

/// Reads the files: real taxonomies for the full budget, else samples of the project.
fn files() -> Files {
    let of_sample = |requests| Files {
        name: "samples/job-board",
        first: sample("job-board-v1.json"),
        second: sample("job-board-v2.json"),
        other: sample("job-board-v1.json"),
        requests,
    };
    if !budget::is_full() {
        return of_sample(3_000);
    }
    let folder = data();
    let real = |name: &str| std::fs::read(format!("{folder}/{name}"));
    let files = (
        real("google/taxonomy-v1.json"),
        real("google/taxonomy-v2.json"),
        real("esco/occupations-v1.json"),
    );
    match files {
        (Ok(first), Ok(second), Ok(other)) => Files {
            name: "google v1, then v2, and esco",
            first,
            second,
            other,
            requests: 100_000,
        },
        _ => {
            let missing = format!(
                "savings: {folder} lacks the real taxonomies, so the sample is used; TAXONOMY_DATA names another folder\n"
            );
            summary::print(&missing);
            of_sample(100_000)
        }
    }
}

/// Returns name and bytes of a large file, and the number of requests over it; a sample without the full budget.
fn icd10cm() -> (&'static str, Vec<u8>, usize) {
    let real = std::fs::read(format!("{}/icd10cm/taxonomy.json", data()));
    match real.ok().filter(|_| budget::is_full()) {
        Some(file) => ("icd10cm", file, 100_000),
        None => ("samples/job-board", sample("job-board-v1.json"), 3_000),
    }
}

/// Returns the folder of the real taxonomies.
fn data() -> String {
    budget::variable("TAXONOMY_DATA")
        .unwrap_or_else(|| format!("{}/../../shared/data", env!("CARGO_MANIFEST_DIR")))
}

/// Uploads and projects a version, at a time of the clock of the lookups.
async fn publish(world: &World, tenant: &str, file: &[u8], at: u64) {
    world.push(tenant, file).await;
    let key = ItemKey::Head {
        tenant: tenant.parse().unwrap(),
    }
    .key();
    let mut head = world.db.item(TABLE, &key.pk, &key.sk).unwrap();
    head.insert("ProjectedAt".to_owned(), AttributeValue::N(at.to_string()));
    world.put_by_hand(head).await;
    assert!(world.committed(tenant).await.is_settled());
    world.exchanges().clear();
}

/// Sends the hint of the newest version, as the aggregator does after a projection.
async fn hint(server: &ValkeyServer, world: &World, tenant: &str) {
    let version = world.committed(tenant).await.version;
    let (config, tenant): (_, TenantId) = (ValkeyConfig::new(server.url()), tenant.parse().unwrap());
    let valkey = Valkey::new(
        &counting_tier::with_long_timeout(config),
        Arc::new(|| NEW_YEAR_MS),
    )
    .unwrap();
    assert_eq!(valkey.advance(&tenant, version).await.unwrap(), version);
    world.exchanges().clear();
}

/// Returns the requests to the table since the last call.
fn take_exchanges(db: &EmbeddedDynamoDb) -> Vec<taxonomy_testkit::Exchange> {
    let sent = db.exchanges().all();
    db.exchanges().clear();
    sent
}
