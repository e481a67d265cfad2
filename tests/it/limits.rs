//! Taxonomies at the limits of the format (docs/decisions/0003-input-file.md): uploaded to the real projector, asked of the real lookup, and
//! everything measured that has a limit at AWS.

mod answers;
mod largest;
mod samples;

use std::sync::Arc;

use lookup::{Answer, Auth, CacheControl, Event, Lookup, routes};
use serde_json::{Value, json};
use taxonomy_cache::CachedReader;
use taxonomy_store::{Aggregates, Reader, Table};
use taxonomy_testkit::fixtures::{NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::World;

/// A lookup over the table of a stack, an hour after everything in it was written.
struct Asking(Lookup);

impl Asking {
    fn of(world: &World) -> Self {
        let table = || Table::new(world.db.client(), TABLE);
        let clock = Arc::new(|| NEW_YEAR_MS + 3_600_000);
        let reader = CachedReader::new(Reader::new(table()), clock.clone(), 64 << 20);
        let world = lookup::World::new(reader, Aggregates::new(table()));
        Self(Lookup::new(Auth::None, CacheControl::default(), world, clock))
    }

    async fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, None).await
    }

    /// The body of a GET that is answered.
    async fn found(&self, target: &str) -> Value {
        body(target, &self.get(target).await)
    }

    /// The terms of a batch, in the order asked.
    async fn batch(&self, target: &str, ids: &[u64]) -> Answer {
        let ids = json!({ "ids": ids }).to_string();
        self.ask("POST", target, Some(ids)).await
    }

    /// An event as API Gateway sends it.
    async fn ask(&self, method: &str, target: &str, body: Option<String>) -> Answer {
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

fn body(target: &str, answer: &Answer) -> Value {
    assert_eq!(answer.status_code, 200, "{target}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}
