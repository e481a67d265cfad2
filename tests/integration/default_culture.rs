//! Tests of a new default culture at every moment of its projection: names move between items, and every answer is of one version.

use std::collections::BTreeMap;
use std::sync::Arc;

use lookup::Lookup;
use serde_json::{Value, json};
use taxonomy_runtime::Clock;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::asking::{ask, process_over};
use taxonomy_tests::budget::{sample, scaled};
use taxonomy_tests::world::{TENANT, World, expected};

const CULTURES: [&str; 3] = ["en-GB", "fr-FR", "de-DE"];
const TERMS: [u64; 3] = [1, 2, 3];

/// Returns a category with three terms, the second below the first. Each has a name in every culture, except one without a German name.
fn file(default: &str, without_german: Option<u64>) -> Vec<u8> {
    let names = |id: u64| -> Vec<Value> {
        let named = CULTURES
            .iter()
            .filter(|culture| **culture != "de-DE" || without_german != Some(id));
        named
            .map(|culture| json!({"culture": culture, "name": name(id, culture)}))
            .collect()
    };
    let terms = json!([
        {"id": 1, "names": names(1), "children": [{"id": 2, "names": names(2)}]},
        {"id": 3, "names": names(3)},
    ]);
    let category = json!({"id": 9, "names": names(9), "terms": terms});
    json!({"defaultCulture": default, "categories": [category]})
        .to_string()
        .into_bytes()
}

fn name(id: u64, culture: &str) -> String {
    format!("{id} in {culture}")
}

/// A process of the lookup with its last responses.
struct Process {
    lookup: Lookup,
    /// The default culture of the version that it serves.
    default: &'static str,
    without_german: Option<u64>,
}

impl Process {
    /// Starts a process that serves the newest version.
    async fn new(world: &World, without_german: Option<u64>) -> Self {
        Self::of(world, without_german, 1 << 20).await
    }

    /// Starts a process with this many bytes for cached values; heads are cached in any case.
    async fn of(world: &World, without_german: Option<u64>, bytes: u64) -> Self {
        let head = world.committed(TENANT).await;
        let default = head.settings.default_culture.as_str();
        // The clock is long after the version before, so that caches are used, and it is stopped, so that a cached head remains valid.
        let clock: Arc<dyn Clock> = Arc::new(|| NEW_YEAR_MS + 3_600_000);
        Self {
            lookup: process_over(world, clock, [bytes; 2], |reader| reader, |context| context),
            default: CULTURES.into_iter().find(|culture| *culture == default).unwrap(),
            without_german,
        }
    }

    async fn get(&self, target: &str) -> Value {
        let answer = ask(
            &self.lookup,
            "GET",
            &format!("/v1/tenants/{TENANT}{target}"),
            None,
        )
        .await;
        assert_eq!(answer.status_code, 200, "{target}: {}", answer.body);
        assert!(answer.headers.contains_key("etag"), "{target}");
        serde_json::from_str(&answer.body).unwrap()
    }

    /// Requests everything in every culture and in none, and compares each response with the file. Returns the responses.
    async fn ask(&self, moment: &str) -> BTreeMap<String, Value> {
        let mut answers = BTreeMap::new();
        for culture in CULTURES.map(Some).into_iter().chain([None]) {
            let query = culture.map_or_else(String::new, |culture| format!("?culture={culture}"));
            let and = if query.is_empty() { "?" } else { "&" };
            for id in TERMS {
                let target = format!("/terms/{id}{query}");
                let term = self.get(&target).await;
                self.check(id, culture, &term, &format!("{target} {moment}"));
                answers.insert(target, term);
            }
            let target = format!("/terms{query}{and}ids=1,2,3");
            let batch = self.get(&target).await;
            for (id, item) in TERMS.into_iter().zip(batch["items"].as_array().unwrap()) {
                self.check(id, culture, &item["term"], &format!("{target} {moment}"));
            }
            answers.insert(target, batch);
            let target = format!("/categories/9{query}");
            let category = self.get(&target).await;
            self.check(9, culture, &category, &format!("{target} {moment}"));
            answers.insert(target, category);
            let page = self.get(&format!("/categories{query}")).await;
            self.check(
                9,
                culture,
                &page["items"][0],
                &format!("/categories{query} {moment}"),
            );
        }
        answers
    }

    /// A stored name is found; without one the response is in the default culture. Every part is in the culture that it names.
    #[track_caller]
    fn check(&self, id: u64, asked: Option<&str>, node: &Value, moment: &str) {
        let culture = node["culture"].as_str().unwrap();
        let is_stored = asked != Some("de-DE") || self.without_german != Some(id);
        match asked.filter(|_| is_stored) {
            Some(asked) => assert_eq!(culture, asked, "{moment}: {node}"),
            None => assert_eq!(culture, self.default, "{moment}: {node}"),
        }
        assert_eq!(node["name"], name(id, culture), "{moment}");
        if let Some(category) = node["category"]["culture"].as_str() {
            assert_eq!(node["category"]["name"], name(9, category), "{moment}");
        }
        for ancestor in node["ancestors"].as_array().into_iter().flatten() {
            let (id, culture) = (
                ancestor["id"].as_u64().unwrap(),
                ancestor["culture"].as_str().unwrap(),
            );
            assert_eq!(ancestor["name"], name(id, culture), "{moment}");
        }
    }
}

/// Two processes that have read the old version.
struct Old {
    /// It caches every value.
    full: Process,
    /// It caches only the head.
    empty: Process,
    before: BTreeMap<String, Value>,
}

/// Loads the old version into processes, and returns the event of the new version's upload.
async fn changing(world: &World, without_german: Option<u64>) -> (Old, Value) {
    world.push(TENANT, &file("en-GB", without_german)).await;
    let full = Process::new(world, without_german).await;
    let empty = Process::of(world, without_german, 0).await;
    let before = full.ask("before").await;
    empty.get("").await;
    let event = world.upload(TENANT, &file("fr-FR", without_german));
    (Old { full, empty, before }, event)
}

/// Sends the requests to a process with the new head, and to those that still have the old head and their cached values.
async fn ask_all(world: &World, old: &Old, moment: &str) {
    let new = Process::new(world, old.full.without_german).await;
    assert_eq!(new.default, "fr-FR", "the commit publishes");
    // They may have read the new head again meanwhile; each answer is of the one version or of the other.
    let after = new.ask(moment).await;
    for process in [&old.full, &old.empty] {
        for (target, before) in &old.before {
            let found = process.get(target).await;
            let expected = if found == *before { before } else { &after[target] };
            assert_eq!(&found, expected, "{target} {moment}, from an older head");
        }
    }
}

/// Delivers the remaining messages, and checks once more.
async fn finish(world: &World, event: Value, without_german: Option<u64>, moment: &str) {
    world.transport.reset_faults();
    // The heartbeat of the dead process is stale.
    world.pass(91);
    world.deliver(event).await.unwrap();
    assert_eq!(
        world.live(TENANT),
        expected(TENANT, &file("fr-FR", without_german)),
        "{moment}"
    );
    let process = Process::new(world, without_german).await;
    process.ask(&format!("after {moment}")).await;
}

/// Makes the projector die before its n-th write; returns false if it had fewer.
async fn dies_before_write(world: &World, event: &Value, n: usize) -> bool {
    let write = When::nth(n).operation("PutItem");
    world.dies(event.clone(), write, Fault::Crash).await
}

#[tokio::test(start_paused = true)]
async fn every_stored_name_is_found_after_each_write_of_a_new_default_culture() {
    for n in (1..).step_by(scaled(3, 1)) {
        let (world, without_german) = (World::new(), Some(1 + n as u64 % 3));
        let (old, event) = changing(&world, without_german).await;
        let died = dies_before_write(&world, &event, n).await;
        let moment = format!("before write {n}");
        ask_all(&world, &old, &moment).await;
        finish(&world, event, without_german, &moment).await;
        if !died {
            assert!(n > 10, "only {n} writes");
            break;
        }
    }
}

/// Writes are sent concurrently, and any of them may be the last to arrive.
#[tokio::test(start_paused = true)]
async fn every_stored_name_is_found_whichever_write_does_not_arrive() {
    let world = World::new();
    let (_, event) = changing(&world, Some(3)).await;
    world.exchanges().clear();
    world.deliver(event).await.unwrap();
    let puts = world.exchanges().all().into_iter();
    let puts = puts.filter(|exchange| exchange.operation == "PutItem");
    let targets: Vec<String> = puts.map(|exchange| exchange.target).collect();
    assert_eq!(targets.len(), 10, "{targets:?}");
    for target in sample(targets, 4, 0) {
        let world = World::new();
        let (old, event) = changing(&world, Some(3)).await;
        world.transport.inject(
            When::always().operation("PutItem").containing(&target),
            Fault::DropBeforeSend,
        );
        assert!(world.deliver(event.clone()).await.is_err(), "{target}");
        world.transport.reset_faults();
        let moment = format!("without {target}");
        ask_all(&world, &old, &moment).await;
        finish(&world, event, Some(3), &moment).await;
    }
}

/// A third default culture supersedes the second at any moment of both, and so does the first again.
#[tokio::test(start_paused = true)]
async fn every_stored_name_is_found_when_one_new_default_culture_overtakes_another() {
    for last in ["de-DE", "en-GB"] {
        for first_stop in (1..16).step_by(scaled(8, 4)) {
            for second_stop in (1..20).step_by(scaled(8, 4)) {
                let world = World::new();
                let (_, event) = changing(&world, None).await;
                dies_before_write(&world, &event, first_stop).await;
                let event = world.upload(TENANT, &file(last, None));
                dies_before_write(&world, &event, second_stop).await;
                let moment = format!("{last}: {first_stop}, {second_stop}");
                Process::new(&world, None).await.ask(&moment).await;
                // A version over an incompletely projected one begins with a heartbeat, to which other processes defer while it is fresh.
                world.pass(120);
                world.deliver(event).await.unwrap();
                assert_eq!(
                    world.live(TENANT),
                    expected(TENANT, &file(last, None)),
                    "{moment}"
                );
            }
        }
    }
}
