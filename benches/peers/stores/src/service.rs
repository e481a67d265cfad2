//! The service: the real projector and the real lookup in this process, over an embedded DynamoDB and buckets in memory. Events and responses
//! are those of API Gateway. Lambda's runtime, the network and DynamoDB itself are not there.

use std::error::Error;
use std::sync::Arc;

use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Context, Event, Lookup};
use serde::Deserialize;
use serde_json::json;
use taxonomy_store::{Aggregates, Archive, Heads, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::World;
use tokio::runtime::Runtime;

use crate::question::{Answer, Cost, HITS, Kind, Question, Store, Way};
use crate::rows::{Named, final_names};

const TENANT: &str = "acme";
/// A week after the versions, none of which is young then.
const NOW_MS: u64 = NEW_YEAR_MS + 7 * 86_400_000;
/// As the template sets them.
const ENTRY_BYTES: u64 = 64 << 20;
const VERSION_BYTES: u64 = 64 << 20;
const MAX_FILE_BYTES: u64 = 2 << 30;

const AGAIN: &str = "the response of the same request before";
const HIT: &str = "from its entry in memory";
const BATCH_HIT: &str = "from their entries in memory";
const MISS: &str = "GetItem, nothing in memory but the head";
const BATCH_MISS: &str = "BatchGetItem, nothing in memory but the head";
const WAYS: &[Way] = &[
    Way::new(Kind::Term, HIT, 0.0),
    Way::new(Kind::Term, AGAIN, 0.0),
    Way::new(Kind::Term, MISS, 1.0),
    Way::new(Kind::Batch, BATCH_HIT, 0.0),
    Way::new(Kind::Batch, BATCH_MISS, 1.0),
    Way::ranked("suggest, the search object in memory", 0.0),
    Way::new(Kind::AsOf, "version=, blocks of the index file in memory", 0.0),
];

pub struct Service {
    runtime: Runtime,
    world: World,
    /// Keeps the responses that it sent.
    again: Lookup,
    /// Keeps what it read, and writes each response anew.
    warm: Lookup,
    /// Keeps the head alone.
    cold: Lookup,
}

/// The response to a batch.
#[derive(Deserialize)]
struct Batch {
    items: Vec<BatchItem>,
}

#[derive(Deserialize)]
struct BatchItem {
    term: Named,
}

/// The response to a search.
#[derive(Deserialize)]
struct Suggestions {
    items: Vec<Named>,
}

impl Service {
    /// Publishes both versions.
    pub fn load(versions: [&[u8]; 2]) -> Result<Option<Box<dyn Store>>, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let mut world = World::new();
        world.max_file_bytes = MAX_FILE_BYTES;
        world.db.stop_stream(TABLE);
        for file in versions {
            runtime.block_on(Box::pin(world.push(TENANT, file)));
            world.exchanges().clear();
        }
        let head = runtime.block_on(world.head(TENANT));
        if head.committed.is_none_or(|committed| !committed.is_settled()) {
            return Err("the versions are not published".into());
        }
        let again = process(&world, ENTRY_BYTES, ENTRY_BYTES / 4);
        let warm = process(&world, ENTRY_BYTES, 0);
        let cold = process(&world, 0, 0);
        Ok(Some(Box::new(Self {
            runtime,
            world,
            again,
            warm,
            cold,
        })))
    }

    /// Returns the body of a response, from the bytes of an event to the bytes that the runtime sends.
    fn ask(&self, lookup: &Lookup, target: &str) -> Result<String, Box<dyn Error>> {
        let event: Event = serde_json::from_slice(&event(target))?;
        let response = self.runtime.block_on(lookup.answer(&event));
        std::hint::black_box(serde_json::to_vec(&response)?);
        match response.status_code {
            200 => Ok(response.body.to_string()),
            status => Err(format!("{target}: {status} {}", response.body).into()),
        }
    }
}

fn process(world: &World, entry_bytes: u64, prepared_bytes: u64) -> Lookup {
    let table = || Table::new(world.db.client(), TABLE);
    let clock = Arc::new(|| NOW_MS);
    let reader = CachedReader::new(Reader::new(table()), clock.clone(), entry_bytes);
    let versions = VersionFiles::new(Archive::new(world.s3.client(), CHANGESETS_BUCKET), VERSION_BYTES);
    let context = Context::new(reader, Aggregates::new(table())).with_versions(versions, Heads::new(table()));
    Lookup::new(Auth::None, CacheControl::default(), context, clock).with_prepared(prepared_bytes)
}

/// An event of API Gateway for a target below the tenant.
fn event(target: &str) -> Vec<u8> {
    let path = format!("/v1/tenants/{TENANT}/{target}");
    let (path, query) = path.split_once('?').unwrap_or((&path, ""));
    let (route, parameters) = match target
        .split_once('?')
        .map_or(target, |(path, _)| path)
        .strip_prefix("terms/")
    {
        Some(id) => (
            "GET /v1/tenants/{tenant}/terms/{id}".to_owned(),
            json!({"tenant": TENANT, "id": id}),
        ),
        None => {
            let last = path.rsplit('/').next().unwrap_or_default();
            (
                format!("GET /v1/tenants/{{tenant}}/{last}"),
                json!({"tenant": TENANT}),
            )
        }
    };
    let event = json!({
        "version": "2.0", "routeKey": route, "rawPath": path, "rawQueryString": query, "headers": {"accept": "application/json"},
        "pathParameters": parameters, "isBase64Encoded": false,
        "requestContext": {"http": {"method": "GET", "path": path}, "requestId": "JKJaXmPLvHcESHA=", "stage": "$default"},
    });
    event.to_string().into_bytes()
}

impl Store for Service {
    fn name(&self) -> &'static str {
        "the service"
    }

    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Box<dyn Error>> {
        let lookup = match way.name {
            AGAIN => &self.again,
            MISS | BATCH_MISS => &self.cold,
            _ => &self.warm,
        };
        match question {
            Question::Term(id) => final_names(&self.ask(lookup, &format!("terms/{id}"))?),
            Question::AsOf(id) => final_names(&self.ask(lookup, &format!("terms/{id}?version=1"))?),
            Question::Batch(ids) => {
                let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
                let batch: Batch =
                    serde_json::from_str(&self.ask(lookup, &format!("terms?ids={}", ids.join(",")))?)?;
                Ok(batch
                    .items
                    .into_iter()
                    .flat_map(|item| item.term.names())
                    .collect())
            }
            Question::Search(text) => {
                let text: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
                let found: Suggestions =
                    serde_json::from_str(&self.ask(lookup, &format!("suggest?q={text}&limit={HITS}"))?)?;
                Ok(found.items.into_iter().flat_map(Named::names).collect())
            }
        }
    }

    fn take_cost(&mut self, answers: usize) -> Option<Cost> {
        let exchanges = self.world.exchanges();
        let (all, answers) = (exchanges.all(), answers.max(1) as f64);
        exchanges.clear();
        Some(Cost {
            requests: all.len() as f64 / answers,
            units: all
                .iter()
                .filter_map(|exchange| exchange.units)
                .fold(0.0, |sum, units| sum + units)
                / answers,
        })
    }
}
