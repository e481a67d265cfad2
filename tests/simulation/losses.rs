//! The scenario of losses: at every request of every script of the event store a process dies, and an object of a version is lost or altered. Nothing that
//! is answered is wrong; uploads, loads and requests go on; and a repair stores every object again as it was.

use std::collections::BTreeSet;

use fastrand::Rng;
use lookup::Lookup;
use taxonomy_tests::asking::process_at;
use taxonomy_tests::budget::{run_all, sample};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::{Summary, thousands};

use crate::raw::{log, text};
use crate::store::crashes::{Place, places, scripts};

static SUMMARY: Summary = Summary::new("losses", &["one", "two"]);

/// What is asked for: items, lists, a search, older versions, differences.
const TARGETS: [&str; 10] = [
    "terms/1",
    "terms/2?culture=fr-FR",
    "terms/4",
    "categories/1",
    "categories",
    "categories/2/terms",
    "suggest?q=f",
    "terms/2?version=1",
    "changes?after=1",
    "versions",
];

/// An object that is lost, with its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Lost {
    pub(crate) key: String,
    bytes: Vec<u8>,
}

/// Status, tag and body of an answer.
type Answer = (u16, Option<String>, String);

/// Loses or alters objects of the versions of a tenant, and checks that lookups answer as before, or that a file is lost. Returns the objects.
pub(crate) async fn lose(world: &World, number: usize, seed: u64) -> Result<Vec<Lost>, String> {
    let right = answers(world).await;
    let mut rng = Rng::with_seed(seed);
    let mut keys: Vec<String> = named_objects(world).into_iter().collect();
    rng.shuffle(&mut keys);
    keys.truncate(number);
    let mut lost = Vec::new();
    for key in keys {
        let bytes = world.s3.object(CHANGESETS_BUCKET, &key).unwrap().bytes.to_vec();
        let mut harmed = bytes.clone();
        match rng.u8(..3) {
            0 => world.s3.delete(CHANGESETS_BUCKET, &key),
            1 => {
                harmed[rng.usize(..bytes.len())] ^= 1;
                world.put_body(&key, harmed);
            }
            _ => {
                harmed.truncate(rng.usize(..bytes.len()));
                world.put_body(&key, harmed);
            }
        }
        lost.push(Lost { key, bytes });
    }
    for ((target, right), now) in TARGETS.iter().zip(right).zip(answers(world).await) {
        if now != right && now.0 != 503 {
            return Err(format!("{target} without {lost:?}: {now:?} instead of {right:?}"));
        }
    }
    Ok(lost)
}

/// Checks that lost objects are stored again as they were, and removes their older versions, which the oracles would take for writes of the service.
#[expect(
    clippy::disallowed_methods,
    reason = "a test does by hand what no function may do"
)]
pub(crate) async fn are_restored(world: &World, lost: &[Lost]) -> Result<(), String> {
    for Lost { key, bytes } in lost {
        let versions = world.s3.versions(CHANGESETS_BUCKET, key);
        let object = world.s3.object(CHANGESETS_BUCKET, key);
        if object.is_none_or(|object| object.bytes[..] != bytes[..]) {
            return Err(format!("{key} is not as it was"));
        }
        for older in &versions[..versions.len() - 1] {
            let delete = world.s3.client().delete_object().bucket(CHANGESETS_BUCKET);
            let delete = delete.key(key).version_id(&older.version_id);
            delete.send().await.unwrap();
        }
    }
    Ok(())
}

/// Returns the keys of what the log names: snapshots, changesets, index files, and the search objects beside these.
fn named_objects(world: &World) -> BTreeSet<String> {
    let entries = log(&world.db.items(TABLE), TENANT);
    let names = ["SnapshotKey", "ChangesetKey", "IndexKey"];
    let mut named: BTreeSet<String> = entries
        .values()
        .flat_map(|entry| names.map(|name| text(entry, name)))
        .collect();
    let stem = |key: &str| Some(key.rsplit_once('-')?.0.to_owned());
    let stems: BTreeSet<String> = named.iter().filter_map(|key| stem(key)).collect();
    let is_search = |key: &String| {
        let stem = key.split_once(".search-").and_then(|(name, _)| stem(name));
        stem.is_some_and(|stem| stems.contains(&stem))
    };
    named.extend(world.s3.keys(CHANGESETS_BUCKET).into_iter().filter(is_search));
    named
}

/// Returns the answers of a new process of the lookup, for which no version is young.
async fn answers(world: &World) -> Vec<Answer> {
    let lookup = process_at(world, world.now_ms() + 86_400_000, |context| context);
    let mut answers = Vec::new();
    for target in TARGETS {
        answers.push(get(&lookup, target).await);
    }
    answers
}

async fn get(lookup: &Lookup, target: &str) -> Answer {
    let answer = ask(lookup, "GET", target, None).await;
    let tag = serde_json::to_value(&answer.headers).unwrap()["etag"]
        .as_str()
        .map(str::to_owned);
    (answer.status_code, tag, answer.body)
}

/// Runs a script whose process dies at a request, where objects are lost; then repairs the tenant, and checks everything.
async fn run((script, nth): Place, number: usize) -> Result<(), String> {
    let script = &scripts()[script];
    let seed = (nth * 7 + number) as u64;
    let result = async {
        let mut run = script.past.copy();
        run.lose_at_the_fault(number, seed);
        run.expect(&[(nth, Fault::Crash)]);
        for step in &script.steps {
            Box::pin(run.perform(step)).await?;
        }
        run.repair().await?;
        run.finish().await
    };
    let result = Box::pin(result).await;
    result.map_err(|violation| format!("{} with {number} lost at request {nth}: {violation}", script.name))
}

fn record(part: &str, cases: usize, violations: &[String]) {
    let text = format!(
        "{} with {part} lost, each at a request of {} scripts",
        thousands(cases),
        scripts().len()
    );
    SUMMARY.record(part, cases, text, violations);
}

#[test]
fn what_is_lost_or_altered_at_any_moment_is_restored() {
    let cases = sample(places().collect(), 60, 5);
    let violations = run_all(&cases, async |place| run(*place, 1).await);
    record("one", cases.len(), &violations);
}

#[test]
fn two_losses_at_once_are_restored() {
    let cases = sample(places().collect(), 40, 6);
    let violations = run_all(&cases, async |place| run(*place, 2).await);
    record("two", cases.len(), &violations);
}
