//! The lookup over what the projector and the aggregator wrote.

use lookup::{Event, Lookup, Response};
use serde_json::Value;
use taxonomy_testkit::fixtures::SOURCE_BUCKET;
use taxonomy_testkit::s3::sns_event;
use taxonomy_tests::asking::process;
use taxonomy_tests::world::World;

/// Two categories, three levels, two cultures, and every field that a category and a term can have.
pub(crate) const SMALL: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur","path":"secteur"}],
   "notation":"S","altNames":[{"culture":"en-GB","name":"Domain"}],"sortKey":"010","metadata":{"facet":true,"n":1.5},
   "deprecated":true,"replacedBy":[2],"deprecation":{"reason":"old","since":"2026-01-31"},
   "notes":[{"culture":"en-GB","definition":"C","scopeNote":"N"}],
   "relations":[{"type":"close","scheme":"esco","id":"http://c"}],
   "terms":[
    {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique","path":"informatique"}],"children":[
      {"id":101,"names":[{"culture":"en-GB","name":"Rust: the job","path":"it/rust"},{"culture":"fr-FR","name":"Rust","path":"informatique/rust"}],
       "notation":"6201","altNames":[{"culture":"en-GB","name":"Rustacean"}],"sortKey":"010","metadata":{"b":[1,2.5,123456789012345678901234567890],"a":"é"},
       "deprecated":true,"replacedBy":[100],"deprecation":{"reason":"old","since":"2026-01-31"},
       "relations":[{"type":"related","id":102},{"type":"exact","scheme":"esco","id":"http://x"}],
       "notes":[{"culture":"en-GB","definition":"D\n\nD"},{"culture":"fr-FR","definition":"F","scopeNote":"S"}],
       "children":[{"id":102,"names":[{"culture":"en-GB","name":"Async","path":"it/rust/async"}]}]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"terms":[
    {"id":0,"names":[{"culture":"en-GB","name":"Remote"},{"culture":"de-DE","name":"Entfernt"}]}]}]}"#;

/// A lookup and its world.
pub(crate) struct Stack {
    pub(crate) world: World,
    lookup: Lookup,
}

impl Stack {
    /// Without any tenant.
    pub(crate) fn empty() -> Self {
        let world = World::new();
        let lookup = process(&world);
        Self { world, lookup }
    }

    /// The lookup's answer to an event.
    pub(crate) async fn answer(&self, event: Value) -> Response {
        let event: Event = serde_json::from_value(event).unwrap();
        self.lookup.answer(&event).await
    }

    /// Uploads a file of release 2026.1 as the tenant's first version.
    pub(crate) async fn publish(&self, tenant: &str, file: &str) {
        let (key, release) = (format!("taxonomies/{tenant}.json"), [("release", "2026.1")]);
        let s3 = &self.world.s3;
        s3.put_with(SOURCE_BUCKET, &key, file.to_owned(), None, &release);
        let event = sns_event(&[s3.event(SOURCE_BUCKET, &key)]);
        self.world.deliver(event).await.unwrap();
    }
}
