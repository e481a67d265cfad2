//! A process of the function over a world whose projector writes what it reads. Every answer is held against the description.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use lookup::cache::SecondTier;
use lookup::{Auth, Event, Lookup, Response, routes};
use serde_json::{Value, json};
use taxonomy_store::Committed;
use taxonomy_testkit::dynamodb::key;
use taxonomy_testkit::fixtures::{ACME, TABLE};
use taxonomy_testkit::iam::deployed::PREPARING;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::asking::process_for;
pub(crate) use taxonomy_tests::files::SMALL;
use taxonomy_tests::world::World;

use crate::gateway::event;
use crate::schema;

/// The path of a batch that is posted.
pub(crate) const BATCH: &str = "terms:batchGet";

/// The bytes of the cache of a process.
const ENTRY_BYTES: u64 = 1 << 20;

/// An authorizer's context under `iam`.
pub(crate) fn signed() -> Value {
    json!({"iam": {"userArn": "arn:aws:sts::123456789012:assumed-role/expander/1"}})
}

/// The context of a token.
pub(crate) fn token(claims: &Value) -> Value {
    json!({"jwt": {"claims": claims, "scopes": null}})
}

/// A process, and its world.
pub(crate) struct Stack {
    pub(crate) world: World,
    pub(crate) authorizer: Value,
    lookup: Lookup,
}

/// An answer with its body parsed.
#[derive(Debug, PartialEq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<&'static str, String>,
    pub(crate) body: Value,
}

impl Stack {
    /// Under `iam`, with [`SMALL`] as version 1 of [`ACME`], and no recorded requests.
    pub(crate) async fn new() -> Self {
        Self::of(&[SMALL]).await
    }

    /// The same with these versions.
    pub(crate) async fn of(files: &[&str]) -> Self {
        let stack = Self::empty(Auth::Iam);
        stack.publish(ACME, files).await;
        stack
    }

    /// Without any tenant.
    pub(crate) fn empty(auth: Auth) -> Self {
        Self::over(World::of_the_lookup(), auth, 0, ENTRY_BYTES, None)
    }

    fn over(
        world: World,
        auth: Auth,
        skew_ms: i64,
        entry_bytes: u64,
        tier: Option<Arc<dyn SecondTier>>,
    ) -> Self {
        let (clock, bytes) = (Arc::new(world.clock(skew_ms)), [entry_bytes, 1 << 20]);
        let add = |reader: lookup::CachedReader| match tier {
            Some(tier) => reader.with_second_tier(tier),
            None => reader,
        };
        Self {
            lookup: process_for(auth, &world, clock, bytes, add, |context| context),
            world,
            authorizer: signed(),
        }
    }

    /// Another process over the same world whose clock differs.
    pub(crate) fn skewed(&self, skew_ms: i64) -> Self {
        Self::over(self.world.clone(), Auth::Iam, skew_ms, ENTRY_BYTES, None)
    }

    /// Another process with a cache of so many bytes.
    pub(crate) fn with_cache(&self, entry_bytes: u64) -> Self {
        Self::over(self.world.clone(), Auth::Iam, 0, entry_bytes, None)
    }

    /// Another process with a second tier.
    pub(crate) fn with_tier(&self, tier: Arc<dyn SecondTier>) -> Self {
        Self::over(self.world.clone(), Auth::Iam, 0, ENTRY_BYTES, Some(tier))
    }

    /// Keeps the responses that it sends, as the deployed function does.
    pub(crate) fn preparing(self) -> Self {
        let lookup = self.lookup.with_prepared(1 << 20);
        Self { lookup, ..self }
    }

    /// The world of those who write the table and the bucket; the role of the function need not allow their requests.
    pub(crate) fn writers(&self) -> World {
        self.world.acting_as(PREPARING)
    }

    /// Publishes versions, a minute apart, so that none is young: young ones are read in another way.
    pub(crate) async fn publish(&self, tenant: &str, files: &[&str]) {
        for file in files {
            self.replace(tenant, file).await;
            self.world.pass(60);
        }
        self.world.exchanges().clear();
    }

    /// Publishes a version at this moment.
    pub(crate) async fn replace(&self, tenant: &str, file: &str) {
        Box::pin(self.writers().replace(tenant, file.as_bytes())).await;
    }

    /// The newest version of [`ACME`].
    pub(crate) async fn committed(&self) -> Committed {
        Box::pin(self.writers().committed(ACME)).await
    }

    /// Commits a version, whose file is then there, and writes no item of it.
    pub(crate) async fn commit(&self, file: &str) {
        self.dies_before(1, "PutItem", file).await;
    }

    /// Commits a version and writes its items. Its head does not record that they are written.
    pub(crate) async fn write(&self, file: &str) {
        self.dies_before(2, "TransactWriteItems", file).await;
    }

    async fn dies_before(&self, nth: usize, operation: &str, file: &str) {
        let event = self.writers().upload_replacement(ACME, file.as_bytes());
        let when = When::nth(nth).operation(operation);
        assert!(Box::pin(self.writers().dies(event, when, Fault::Crash)).await);
        self.world.exchanges().clear();
    }

    /// Records in the head that the items of its version are written.
    pub(crate) async fn settle(&self) {
        let (heads, now) = (self.writers().heads(), self.world.now_ms());
        let (tenant, version) = (ACME.parse().unwrap(), self.committed().await.version);
        let marked = heads.mark_projected(&tenant, version, now);
        assert!(marked.await.unwrap());
        self.world.exchanges().clear();
    }

    /// Replaces an attribute of an item.
    pub(crate) async fn set(&self, item: (&str, &str), attribute: &str, value: AttributeValue) {
        let update = self.writers().db.client().update_item().table_name(TABLE);
        let update = update.set_key(Some(key(item.0, item.1)));
        let update = update.update_expression("SET #a = :value");
        let update = update.expression_attribute_names("#a", attribute);
        let update = update.expression_attribute_values(":value", value);
        update.send().await.unwrap();
    }

    /// Has requests meet a fault.
    pub(crate) fn inject(&self, when: When, fault: Fault) {
        self.world.transport.inject(when, fault);
    }

    /// `GET` of a path with a query, as the gateway hands it over. A path without a leading slash is below [`ACME`].
    pub(crate) async fn get(&self, target: &str) -> Got {
        self.send(self.event_of("GET", target)).await
    }

    /// The ids of each page of a list, which has an end.
    pub(crate) async fn pages(&self, list: &str) -> Vec<Vec<Value>> {
        let (mut pages, mut cursor) = (Vec::new(), String::new());
        loop {
            assert!(pages.len() < 50, "{list}");
            let page = self.found(&format!("{list}{cursor}")).await;
            let items = page["items"].as_array().unwrap().iter();
            pages.push(items.map(|item| item["id"].clone()).collect());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return pages,
            }
        }
    }

    /// The body of an answer to a `GET`.
    pub(crate) async fn found(&self, target: &str) -> Value {
        self.get(target).await.found()
    }

    /// Status, code and pointer of the problem that a `GET` is answered with.
    pub(crate) async fn refused(&self, target: &str) -> String {
        self.get(target).await.refused()
    }

    /// `GET` with these headers.
    pub(crate) async fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Got {
        self.ask("GET", target, headers).await
    }

    /// `GET` with these tags in `If-None-Match`.
    pub(crate) async fn get_unless(&self, target: &str, tags: &str) -> Got {
        self.get_with(target, &[("if-none-match", tags)]).await
    }

    /// The tag of the answer to a `GET`.
    pub(crate) async fn tag(&self, target: &str) -> String {
        self.get(target).await.headers["etag"].clone()
    }

    /// `POST` of a body.
    pub(crate) async fn post(&self, target: &str, body: &str) -> Got {
        self.post_with(target, &[], body).await
    }

    /// `POST` of a body with these headers.
    pub(crate) async fn post_with(&self, target: &str, headers: &[(&str, &str)], body: &str) -> Got {
        let mut event = self.event_with("POST", target, headers);
        event["body"] = json!(body);
        self.send(event).await
    }

    /// Any method with these headers.
    pub(crate) async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Got {
        self.send(self.event_with(method, target, headers)).await
    }

    pub(crate) fn event_of(&self, method: &str, target: &str) -> Value {
        self.event_with(method, target, &[])
    }

    fn event_with(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Value {
        let target = match target {
            "" => format!("/v1/tenants/{ACME}"),
            absolute if absolute.starts_with('/') => absolute.to_owned(),
            query if query.starts_with('?') => format!("/v1/tenants/{ACME}{query}"),
            below => format!("/v1/tenants/{ACME}/{below}"),
        };
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let route = routes::find(method, path).map(|found| format!("{method} {}", found.route.path));
        let route_key = route.unwrap_or_else(|_| "$default".to_owned());
        let mut event = event(method, path, query, &route_key, &self.authorizer);
        for (name, value) in headers {
            event["headers"][*name] = json!(value);
        }
        event
    }

    /// Any event.
    pub(crate) async fn send(&self, event: Value) -> Got {
        let event: Event = serde_json::from_value(event).unwrap();
        let Response {
            status_code,
            headers,
            body,
            is_base64_encoded,
        } = self.lookup.answer(&event).await;
        let coding = headers.get("content-encoding").map(AsRef::as_ref);
        let method = &event.request_context.http.method;
        assert_eq!(is_base64_encoded, coding.is_some() && method != "HEAD");
        let got = Got {
            status: status_code,
            body: match status_code == 304 || method == "HEAD" {
                true => json!(body),
                false => serde_json::from_str(&decoded(coding, &body)).unwrap(),
            },
            headers: headers
                .into_iter()
                .map(|(name, value)| (name, value.into_owned()))
                .collect(),
        };
        schema::check(method, &event.raw_path, &event.raw_query_string, &got);
        got
    }

    /// Returns the requests since the last call, a line for each.
    pub(crate) fn requests(&self) -> Vec<String> {
        let lines = self.world.exchanges().lines();
        self.world.exchanges().clear();
        lines
    }

    /// The same, short: the operation, or `Head` where it read the head, and the units of the table.
    pub(crate) fn costs(&self) -> Vec<String> {
        let all = self.world.exchanges().all();
        self.world.exchanges().clear();
        let line = |exchange: &taxonomy_testkit::Exchange| {
            let of_head = exchange.target.contains("HEAD");
            let what = if of_head { "Head" } else { &exchange.operation };
            let units = exchange.units.map(|units| format!(" {units}"));
            format!("{what}{}", units.unwrap_or_default())
        };
        all.iter().map(line).collect()
    }
}

/// A body as the client has it behind the gateway, which decodes base64.
fn decoded(coding: Option<&str>, body: &str) -> String {
    let Some(coding) = coding else {
        return body.to_owned();
    };
    let bytes = STANDARD.decode(body).unwrap();
    let mut text = Vec::new();
    match coding {
        "gzip" => drop(GzDecoder::new(&*bytes).read_to_end(&mut text).unwrap()),
        "br" => brotli::BrotliDecompress(&mut &*bytes, &mut text).unwrap(),
        other => unreachable!("no coding is called {other}"),
    }
    String::from_utf8(text).unwrap()
}

impl Got {
    /// The body of an answer.
    #[track_caller]
    pub(crate) fn found(self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.body
    }

    /// Status, code and pointer of a problem.
    #[track_caller]
    pub(crate) fn refused(&self) -> String {
        assert_eq!(self.body["status"], self.status, "{self:?}");
        let code = self.body["type"].as_str().unwrap();
        let code = code.trim_start_matches("/problems/");
        let pointer = self.body["pointer"].as_str().map(|pointer| format!(" {pointer}"));
        format!("{} {code}{}", self.status, pointer.unwrap_or_default())
    }

    /// Whether it has a tag.
    pub(crate) fn is_tagged(&self) -> bool {
        self.headers.contains_key("etag")
    }
}

/// The ids of the items of a page.
pub(crate) fn ids(page: &Value) -> Vec<u64> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_u64().unwrap()).collect()
}

/// [`SMALL`] without the term 101 and what is below it, and with the second category gone.
pub(crate) fn smaller() -> String {
    let mut file: Value = serde_json::from_str(SMALL).unwrap();
    file["categories"][0]["terms"][0]["children"] = json!([]);
    file["categories"][0]["replacedBy"] = json!([]);
    file["categories"].as_array_mut().unwrap().pop();
    file.to_string()
}
