//! A new default culture, at every moment of its projection: names change places, and none may be missed.

use std::collections::BTreeMap;
use std::sync::Arc;

use lookup::{Auth, CacheControl, Event, Lookup};
use serde_json::{Value, json};
use taxonomy_cache::CachedReader;
use taxonomy_protocol::Deadline;
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Reader, Table};
use taxonomy_testkit::fixtures::{NEW_YEAR_MS, TABLE};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World, expected};

const CULTURES: [&str; 3] = ["en-GB", "fr-FR", "de-DE"];
const TERMS: [u64; 3] = [1, 2, 3];

/// A category with three terms, the second below the first. Each is named in every culture, but for one that has no German name.
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

/// A process of the lookup, and what it answered last.
struct Process {
    lookup: Lookup,
    /// Cultures that terms may fall back to at this moment.
    defaults: Vec<&'static str>,
    without_german: Option<u64>,
}

impl Process {
    fn new(world: &World, defaults: &[&'static str], without_german: Option<u64>) -> Self {
        Self::of(world, defaults, without_german, 1 << 20)
    }

    /// With this many bytes for answers; heads are kept all the same.
    fn of(world: &World, defaults: &[&'static str], without_german: Option<u64>, bytes: u64) -> Self {
        let table = Table::new(world.db.client(), TABLE);
        // Long after the version before, so that caches are used; it stands still, so that a head stays as it was read.
        let clock: Arc<dyn Clock> = Arc::new(|| NEW_YEAR_MS + 3_600_000);
        let reader = CachedReader::new(Reader::new(table.clone()), clock.clone(), bytes);
        let world = lookup::World::new(reader, Aggregates::new(table));
        Self {
            lookup: Lookup::new(Auth::None, CacheControl::default(), world, clock),
            defaults: defaults.to_vec(),
            without_german,
        }
    }

    async fn get(&self, target: &str) -> (Value, bool) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let event = json!({
            "rawPath": format!("/v1/tenants/{TENANT}{path}"), "rawQueryString": query,
            "requestContext": {"http": {"method": "GET"}},
        });
        let event: Event = serde_json::from_value(event).unwrap();
        let answer = self.lookup.answer(&event).await;
        assert_eq!(answer.status_code, 200, "{target}: {}", answer.body);
        let is_tagged = answer.headers.contains_key("etag");
        (serde_json::from_str(&answer.body).unwrap(), is_tagged)
    }

    /// Asks for everything in every culture and in none, and holds each answer against the file. Returns the answers and whether each has a tag.
    async fn ask(&self, moment: &str) -> BTreeMap<String, (Value, bool)> {
        let mut answers = BTreeMap::new();
        for culture in CULTURES.map(Some).into_iter().chain([None]) {
            let query = culture.map_or_else(String::new, |culture| format!("?culture={culture}"));
            let and = if query.is_empty() { "?" } else { "&" };
            for id in TERMS {
                let target = format!("/terms/{id}{query}");
                let (term, is_tagged) = self.get(&target).await;
                self.check(id, culture, &term, &format!("{target} {moment}"));
                answers.insert(target, (term, is_tagged));
            }
            let target = format!("/terms{query}{and}ids=1,2,3");
            let (batch, is_tagged) = self.get(&target).await;
            for (id, item) in TERMS.into_iter().zip(batch["items"].as_array().unwrap()) {
                self.check(id, culture, &item["term"], &format!("{target} {moment}"));
            }
            answers.insert(target, (batch, is_tagged));
            let target = format!("/categories/9{query}");
            let (category, is_tagged) = self.get(&target).await;
            self.check(9, culture, &category, &format!("{target} {moment}"));
            answers.insert(target, (category, is_tagged));
            let (page, _) = self.get(&format!("/categories{query}")).await;
            self.check(
                9,
                culture,
                &page["items"][0],
                &format!("/categories{query} {moment}"),
            );
        }
        answers
    }

    /// A name that is stored is found; without one the answer is in a default culture. Every part is in the culture that it says.
    #[track_caller]
    fn check(&self, id: u64, asked: Option<&str>, node: &Value, moment: &str) {
        let culture = node["culture"].as_str().unwrap();
        let is_stored = asked != Some("de-DE") || self.without_german != Some(id);
        match asked.filter(|_| is_stored) {
            Some(asked) => assert_eq!(culture, asked, "{moment}: {node}"),
            None => assert!(self.defaults.contains(&culture), "{moment}: {node}"),
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

/// Two processes that know the old version.
struct Old {
    /// It remembers every answer.
    full: Process,
    /// It remembers the head alone.
    empty: Process,
    before: BTreeMap<String, (Value, bool)>,
}

/// The old version is read into processes, and the upload of the new one is on its way.
async fn changing(world: &World, without_german: Option<u64>) -> (Old, Value) {
    world.push(TENANT, &file("en-GB", without_german)).await;
    let defaults = ["en-GB", "fr-FR"];
    let full = Process::new(world, &defaults, without_german);
    let empty = Process::of(world, &defaults, without_german, 0);
    let before = full.ask("before").await;
    empty.get("").await;
    let event = world.upload(TENANT, &file("fr-FR", without_german));
    (Old { full, empty, before }, event)
}

/// Asks a process that knows the new head, and those that still have the old one and whatever they remember.
async fn ask_all(world: &World, old: &Old, moment: &str) {
    let is_settled = world.committed(TENANT).await.is_settled();
    let new = Process::new(world, &["en-GB", "fr-FR"], old.full.without_german);
    for (target, (_, is_tagged)) in new.ask(moment).await {
        assert!(is_settled || !is_tagged, "{target} {moment}");
    }
    for process in [&old.full, &old.empty] {
        let answers = process.ask(&format!("{moment}, from an older head")).await;
        for (target, (body, is_tagged)) in answers {
            // What carries the tag of the old version is what the old version says.
            if is_tagged && body["version"] == 1 {
                assert_eq!(body, old.before[&target].0, "{target} {moment}");
            }
        }
    }
}

/// Delivers what is left, and asks once more: everything is tagged, and in the new default culture where no other is stored.
async fn finish(world: &World, event: Value, without_german: Option<u64>, moment: &str) {
    world.wire.reset_faults();
    world.deliver(event).await.unwrap();
    assert_eq!(
        world.live(TENANT),
        expected(TENANT, &file("fr-FR", without_german)),
        "{moment}"
    );
    let process = Process::new(world, &["fr-FR"], without_german);
    for (target, (_, is_tagged)) in process.ask(&format!("after {moment}")).await {
        assert!(is_tagged, "{target} after {moment}");
    }
}

/// Lets the projector die before its n-th write; false where it had fewer.
async fn dies_before_write(world: &World, event: &Value, n: usize) -> bool {
    world.wire.inject(When::nth(n).operation("PutItem"), Fault::Crash);
    let projector = world.projector();
    let handled = projector.handle(event.clone(), Deadline::NONE);
    let died = world.wire.until_crash(handled).await.is_none();
    world.wire.reset_faults();
    died
}

#[tokio::test(start_paused = true)]
async fn every_stored_name_is_found_after_each_write_of_a_new_default_culture() {
    for n in 1.. {
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

/// Writes are under way side by side, and any of them may be the last to arrive.
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
    for target in targets {
        let world = World::new();
        let (old, event) = changing(&world, Some(3)).await;
        world.wire.inject(
            When::always().operation("PutItem").containing(&target),
            Fault::DropBeforeSend,
        );
        assert!(world.deliver(event.clone()).await.is_err(), "{target}");
        world.wire.reset_faults();
        let moment = format!("without {target}");
        ask_all(&world, &old, &moment).await;
        finish(&world, event, Some(3), &moment).await;
    }
}

/// A third default culture overtakes the second, wherever both stand, and so does the first again.
#[tokio::test(start_paused = true)]
async fn every_stored_name_is_found_when_one_new_default_culture_overtakes_another() {
    for last in ["de-DE", "en-GB"] {
        for first_stop in (1..16).step_by(4) {
            for second_stop in (1..20).step_by(4) {
                let world = World::new();
                let (_, event) = changing(&world, None).await;
                dies_before_write(&world, &event, first_stop).await;
                let event = world.upload(TENANT, &file(last, None));
                dies_before_write(&world, &event, second_stop).await;
                let moment = format!("{last}: {first_stop}, {second_stop}");
                Process::new(&world, &CULTURES, None).ask(&moment).await;
                // A version over one that has not settled begins with a heartbeat, to which others defer while it is fresh.
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
