//! Tests of taxonomies at the limits of the format (docs/decisions/0003-input-file.md): uploaded to the real projector, read through the real
//! lookup, with a measurement of everything that AWS limits.

mod answers;
mod largest;
mod samples;

use std::sync::Arc;

use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Event, Lookup, Response, routes};
use serde_json::{Value, json};
use taxonomy_store::{Aggregates, Archive, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::World;

/// `CACHE_BYTES` of the lookup.
const FIRST_TIER: u64 = 64 << 20;

/// A lookup over the table of a stack, an hour after all its writes.
struct Asking(Lookup);

impl Asking {
    fn of(world: &World) -> Self {
        Self::over(world, |reader| reader)
    }

    /// The same over a reader that something is added to.
    fn over(world: &World, add: impl FnOnce(CachedReader) -> CachedReader) -> Self {
        let table = || Table::new(world.db.client(), TABLE);
        let clock = Arc::new(|| NEW_YEAR_MS + 3_600_000);
        let reader = add(CachedReader::new(Reader::new(table()), clock.clone(), FIRST_TIER));
        let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
        let files = VersionFiles::new(archive, 64 << 20);
        let world =
            lookup::Context::new(reader, Aggregates::new(table())).with_versions(files, world.heads());
        Self(Lookup::new(Auth::None, CacheControl::default(), world, clock))
    }

    async fn get(&self, target: &str) -> Response {
        self.ask("GET", target, None).await
    }

    /// Returns the body of a successful GET.
    async fn found(&self, target: &str) -> Value {
        body(target, &self.get(target).await)
    }

    /// Returns the response to a batch of terms, in the order of the ids.
    async fn batch(&self, target: &str, ids: &[u64]) -> Response {
        let ids = json!({ "ids": ids }).to_string();
        self.ask("POST", target, Some(ids)).await
    }

    /// Sends an event as API Gateway does.
    async fn ask(&self, method: &str, target: &str, body: Option<String>) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let found = routes::find(method, path).unwrap();
        let route_key = format!("{method} {}", found.route.path);
        let mut parameters = json!({"tenant": found.tenant});
        if !found.id.is_empty() {
            parameters["id"] = json!(found.id);
        }
        let event: Event = serde_json::from_value(json!({
            "version": "2.0",
            "routeKey": route_key,
            "rawPath": path,
            "rawQueryString": query,
            "headers": {"host": "example.org"},
            "pathParameters": parameters,
            "requestContext": {
                "stage": "$default", "routeKey": route_key, "requestId": "r-1", "http": {"method": method, "path": path},
            },
            "body": body,
            "isBase64Encoded": false,
        }))
        .unwrap();
        self.0.answer(&event).await
    }
}

fn body(target: &str, answer: &Response) -> Value {
    assert_eq!(answer.status_code, 200, "{target}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}
