//! What lookups cost while a version is loading: every answer comes from the files of the version, and is compared with the uploaded file.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lookup::CachedReader;
use serde_json::{Value, json};
use taxonomy_runtime::Clock;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS};
use taxonomy_tests::summary;
use taxonomy_tests::world::{World, read};

use crate::requests::{Request, of_one_tenant};
use crate::variant::{PROCESSES, function, reader, response};
use crate::{AN_HOUR_MS, MIB, SEED, STEP_MS, icd10cm};

/// Readings of the clock after which the load stops.
const BEGINNING: u64 = 60;
/// The cache of a process for answers.
const BYTES: u64 = 64 * MIB;

/// The names and ancestors of the terms, and the names of the categories, read from the file alone.
#[derive(Default)]
struct Expected {
    /// Final name and ids of the ancestors, nearest first.
    terms: BTreeMap<u64, (String, Vec<u64>)>,
    categories: BTreeMap<u64, String>,
}

impl Expected {
    fn of(file: &[u8]) -> Self {
        let file: Value = serde_json::from_slice(file).unwrap();
        let culture = file["defaultCulture"].as_str().unwrap_or("en-GB").to_owned();
        let mut expected = Self::default();
        for category in file["categories"].as_array().unwrap() {
            let name = name(category, &culture);
            for term in category["terms"].as_array().into_iter().flatten() {
                expected.add(&name, term, &[], &culture);
            }
            expected.categories.insert(category["id"].as_u64().unwrap(), name);
        }
        expected
    }

    fn add(&mut self, category: &str, term: &Value, lineage: &[u64], culture: &str) {
        let id = term["id"].as_u64().unwrap();
        let final_name = format!("{category}:{}", name(term, culture));
        self.terms.insert(id, (final_name, lineage.to_vec()));
        let below = [&[id], lineage].concat();
        for child in term["children"].as_array().into_iter().flatten() {
            self.add(category, child, &below, culture);
        }
    }

    fn is_term(&self, term: &Value) -> bool {
        let ancestors = term["ancestors"].as_array().unwrap();
        let lineage: Vec<u64> = ancestors.iter().filter_map(|one| one["id"].as_u64()).collect();
        let found = term["finalName"].as_str().map(|name| (name.to_owned(), lineage));
        found.as_ref() == self.terms.get(&term["id"].as_u64().unwrap())
    }

    fn is_category(&self, category: &Value) -> bool {
        let id = category["id"].as_u64().unwrap();
        self.categories.get(&id).map(String::as_str) == category["name"].as_str()
    }

    /// Whether an answer is that of the file. Culture-specific names are the oracle's of another test; here the default ones are compared.
    fn is(&self, target: &str, status: &str, body: &Value) -> bool {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut last = path.rsplit('/');
        let (id, kind) = (last.next().unwrap(), last.next().unwrap());
        let items = || body["items"].as_array().unwrap();
        match (kind, id) {
            (_, "terms") => items().iter().all(|item| self.is_term(&item["term"])),
            (_, "categories") => {
                items().len() == self.categories.len().min(50)
                    && items().iter().all(|item| self.is_category(item))
            }
            ("categories", _) => self.is_category(body),
            _ if query.is_empty() && self.terms.contains_key(&id.parse().unwrap()) => {
                status == "200" && self.is_term(body)
            }
            _ if query.is_empty() => status == "404",
            _ => status == "200" && body["id"].as_u64() == id.parse().ok(),
        }
    }
}

fn name(node: &Value, culture: &str) -> String {
    let mut names = node["names"].as_array().into_iter().flatten();
    let of_culture = names.find(|name| name["culture"] == culture);
    let name = of_culture.map_or(&node["name"], |name| &name["name"]);
    name.as_str()
        .unwrap()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn lookups_during_a_load_are_answered_from_the_files() {
    let (name, file, count) = icd10cm();
    let mut world = World::new();
    world.max_file_bytes = 64 * MIB;
    let event = world.upload(ACME, &file);
    let projector = world.projector();
    projector
        .handle(event, world.deadline_in(BEGINNING))
        .await
        .unwrap();
    assert!(!world.committed(ACME).await.is_settled(), "the load is under way");
    world.exchanges().clear();
    let expected = Expected::of(&file);
    let now = Arc::new(AtomicU64::new(NEW_YEAR_MS + AN_HOUR_MS));
    let processes: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let time = now.clone();
            let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::SeqCst));
            function(
                &world,
                CachedReader::new(reader(&world), clock.clone(), BYTES),
                clock,
            )
        })
        .collect();
    let mut micros = Vec::new();
    let mut cost: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for (number, request) in of_one_tenant(SEED, &read(&file), count).iter().enumerate() {
        let began = Instant::now();
        let answer = response(&processes[request.process], request).await;
        micros.push(began.elapsed().as_micros());
        check(&expected, number, request, &answer);
        for exchange in world.exchanges().all() {
            let (requests, units) = cost
                .entry(format!("{} {}", exchange.service, exchange.operation))
                .or_default();
            *requests += 1;
            *units += exchange.units.unwrap_or_default();
        }
        world.exchanges().clear();
        now.fetch_add(STEP_MS, Ordering::SeqCst);
    }
    micros.sort_unstable();
    let [half, most, nearly] = [50, 90, 99].map(|percent| micros[(count - 1) * percent / 100]);
    let cost: Vec<String> = cost
        .iter()
        .map(|(operation, (requests, units))| format!("{requests} {operation} ({units} units)"))
        .collect();
    summary::print(&format!(
        "loading: {count} lookups of {name} during a load, {PROCESSES} processes: all answers are the file's; {}; {half}, {most} and {nearly} us of the processor at 50, 90 and 99 %\n",
        cost.join(", ")
    ));
}

fn check(expected: &Expected, number: usize, request: &Request, answer: &str) {
    let (status, body) = answer.split_once(' ').unwrap();
    let body: Value = serde_json::from_str(body).unwrap_or(json!({}));
    assert!(
        expected.is(&request.target, status, &body),
        "request {number}, {}: {answer}",
        request.target
    );
}
