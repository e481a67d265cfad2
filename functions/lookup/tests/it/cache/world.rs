//! A tenant's versions, step by step, and processes that answer about them.

use std::sync::{Arc, Mutex};

use lookup::cache::SecondTier;
use lookup::{Auth, CachedReader, Lookup};
use serde_json::Value;
use taxonomy_model::Taxonomy;
use taxonomy_store::Committed;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS};

use crate::stack::{Got, Stack, taxonomy};

/// Two categories; term 2 lies below term 1 and has a French name.
pub(crate) fn file(word: &str) -> String {
    format!(
        r#"{{"defaultCulture":"en-GB","categories":[
        {{"id":1,"names":[{{"culture":"en-GB","name":"{word} sector"}}],"sortKey":"1","terms":[
          {{"id":1,"names":[{{"culture":"en-GB","name":"{word} one","path":"{word}"}},{{"culture":"fr-FR","name":"{word} un"}}],"children":[
            {{"id":2,"names":[{{"culture":"en-GB","name":"{word} two"}},{{"culture":"fr-FR","name":"{word} deux"}}]}}]}},
          {{"id":3,"names":[{{"culture":"en-GB","name":"{word} three"}}]}}]}},
        {{"id":2,"names":[{{"culture":"en-GB","name":"{word} place"}}],"sortKey":"2"}}]}}"#
    )
}

/// The table and the bucket, and the version at the tenant's head.
pub(crate) struct World {
    pub(crate) stack: Arc<Stack>,
    tenant: String,
    last: Mutex<Option<(Committed, Taxonomy)>>,
    before: Mutex<Option<Taxonomy>>,
}

/// The version of an answer, and the name that it has; none where there is no such thing.
pub(crate) type Answered = Option<(u64, String)>;

impl World {
    pub(crate) fn new() -> Self {
        Self::of(Arc::new(Stack::empty(Auth::Iam)), ACME)
    }

    fn of(stack: Arc<Stack>, tenant: &str) -> Self {
        Self {
            stack,
            tenant: tenant.to_owned(),
            last: Mutex::default(),
            before: Mutex::default(),
        }
    }

    /// With a version that is a minute old, and nothing on the record of the wire.
    pub(crate) async fn old(word: &str) -> Self {
        let world = Self::new();
        world.publish(&file(word), NEW_YEAR_MS - 60_000).await;
        world.requests();
        world
    }

    /// Another tenant of the same table.
    pub(crate) fn other(&self, tenant: &str) -> Self {
        Self::of(self.stack.clone(), tenant)
    }

    /// Another process.
    pub(crate) fn process(&self) -> Lookup {
        self.stack.process(|reader| reader)
    }

    /// The same with a second tier.
    pub(crate) fn process_with(&self, tier: Arc<dyn SecondTier>) -> Lookup {
        self.stack
            .process(|reader: CachedReader| reader.with_second_tier(tier))
    }

    pub(crate) fn wait_ms(&self, ms: u64) {
        self.stack.wait_ms(ms);
    }

    pub(crate) async fn publish(&self, file: &str, at: u64) {
        self.commit(file).await;
        self.write().await;
        self.settle(at).await;
    }

    /// The first step: the head has the new version, and its file is there.
    pub(crate) async fn commit(&self, file: &str) {
        let new = taxonomy(file);
        let (onto, before) = self.last.lock().unwrap().take().unzip();
        let head = self.stack.commit(&self.tenant, onto.as_ref(), &new).await;
        *self.last.lock().unwrap() = Some((head, new));
        *self.before.lock().unwrap() = before;
    }

    /// The second: the items.
    pub(crate) async fn write(&self) {
        let (head, new) = self.last.lock().unwrap().clone().unwrap();
        let before = self.before.lock().unwrap().clone();
        let (tenant, version) = (&self.tenant, head.version);
        self.stack.write(tenant, version, before.as_ref(), &new).await;
    }

    /// The last step: the head records that the items are written.
    pub(crate) async fn settle(&self, at: u64) {
        let (head, new) = self.last.lock().unwrap().clone().unwrap();
        let head = self.stack.settle(&self.tenant, head, at).await;
        *self.last.lock().unwrap() = Some((head, new));
    }

    /// `GET` of something of the tenant.
    pub(crate) async fn get(&self, process: &Lookup, target: &str) -> Got {
        let target = format!("/v1/tenants/{}{target}", self.tenant);
        let event = self.stack.event_of("GET", &target, None, None);
        self.stack.send_to(process, event).await
    }

    async fn name(&self, process: &Lookup, target: &str) -> Answered {
        let got = self.get(process, target).await;
        if got.status == 404 {
            return None;
        }
        let tag = got.headers["etag"].clone();
        let body: Value = got.found();
        let version = body["version"].as_u64().unwrap();
        assert!(tag.starts_with(&format!("\"{version}-")), "{tag}");
        Some((version, body["name"].as_str().unwrap().to_owned()))
    }

    /// The name of a term in the default culture.
    pub(crate) async fn term(&self, process: &Lookup, id: u64) -> Answered {
        self.name(process, &format!("/terms/{id}")).await
    }

    /// The same in French.
    pub(crate) async fn term_in_french(&self, process: &Lookup, id: u64) -> Answered {
        self.name(process, &format!("/terms/{id}?culture=fr-FR")).await
    }

    pub(crate) async fn category(&self, process: &Lookup, id: u64) -> Answered {
        self.name(process, &format!("/categories/{id}")).await
    }

    /// Has a process read the head.
    pub(crate) async fn read_head(&self, process: &Lookup) {
        self.get(process, "").await.found();
    }

    /// Waits until a request about a key like this is at the gate, and returns its number.
    pub(crate) async fn arrived(&self, key: &str) -> u64 {
        let mut pending = Vec::new();
        for _ in 0..1_000 {
            pending = self.stack.db.transport().pending();
            if pending.iter().any(|pending| pending.target.contains(key)) {
                break;
            }
            tokio::task::yield_now().await;
        }
        let found = pending.iter().find(|pending| pending.target.contains(key));
        found.unwrap().id
    }

    /// The requests since the last time: the operation, or that it read the head, and the units of the table.
    pub(crate) fn requests(&self) -> Vec<String> {
        let all = self.stack.db.exchanges().all();
        self.stack.db.exchanges().clear();
        let line = |exchange: &taxonomy_testkit::Exchange| {
            let of_head = exchange.target.contains("HEAD");
            let what = if of_head { "Head" } else { &exchange.operation };
            match exchange.units {
                Some(units) => format!("{what} {units}"),
                None => what.to_owned(),
            }
        };
        all.iter().map(line).collect()
    }
}

pub(crate) fn named(version: u64, name: &str) -> Answered {
    Some((version, name.to_owned()))
}
