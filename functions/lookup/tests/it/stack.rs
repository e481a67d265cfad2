//! A function with a table of its own, written by the real writers. Every answer it gives is held against the description.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, CachedReader, Context, Event, Lookup, Response, routes};
use serde_json::{Value, json};
use taxonomy_collation::sibling_keys;
use taxonomy_index::{Changed, Digest, Expected, File, Identity, Preorder, Previous, Source};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::snapshot::hash;
use taxonomy_model::{Census, Changes, Defaults, Hash, Limits, Provenance, Taxonomy, Totals, diff, writes};
use taxonomy_store::{
    Aggregates, Archive, Commit, Committed, Heads, LogEntry, Projection, Reader, SourceStamp, Table,
};
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET, EN_GB, NEW_YEAR_MS, TABLE};
use taxonomy_testkit::iam::deployed::{self, PREPARING};
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake};

use crate::gateway::event;
use crate::schema;

/// Two categories, three levels, two cultures, and everything a term can carry. Version 1 of [`ACME`] in every stack.
pub(crate) const SMALL: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur","path":"secteur"}],
   "notation":"S","altNames":[{"culture":"fr-FR","name":"Domaine"}],"sortKey":"010","metadata":{"facet":true},
   "terms":[
    {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique","path":"informatique"}],"children":[
      {"id":101,"names":[{"culture":"en-GB","name":"Rust: the job","path":"it/rust"},{"culture":"fr-FR","name":"Rust","path":"informatique/rust"}],
       "notation":"6201","altNames":[{"culture":"en-GB","name":"Rustacean"}],"sortKey":"010","metadata":{"b":[1,2.5],"a":"é"},
       "deprecated":true,"replacedBy":[100],"deprecation":{"reason":"old","since":"2026-01-31"},
       "relations":[{"type":"related","id":102},{"type":"exact","scheme":"esco","id":"http://x"}],
       "notes":[{"culture":"en-GB","definition":"D\n\nD"},{"culture":"fr-FR","definition":"F","scopeNote":"S"}],
       "children":[{"id":102,"names":[{"culture":"en-GB","name":"Async","path":"it/rust/async"}]}]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"terms":[
    {"id":0,"names":[{"culture":"en-GB","name":"Remote"},{"culture":"de-DE","name":"Entfernt"}]}]}]}"#;

/// An authorizer's context under `iam`.
pub(crate) fn signed() -> Value {
    json!({"iam": {"userArn": "arn:aws:sts::123456789012:assumed-role/expander/1"}})
}

/// A function, its table, its clock.
pub(crate) struct Stack {
    pub(crate) db: EmbeddedDynamoDb,
    pub(crate) s3: S3Fake,
    pub(crate) authorizer: Value,
    lookup: Lookup,
    now: Arc<AtomicU64>,
    /// The content of each version, by the key of its index file.
    contents: Mutex<BTreeMap<String, Taxonomy>>,
}

/// An answer with its body parsed.
#[derive(Debug, PartialEq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<&'static str, String>,
    pub(crate) body: Value,
}

impl Stack {
    /// Under `iam`, with [`SMALL`] as version 1 of [`ACME`] and nothing on the record of the wire.
    pub(crate) async fn new() -> Self {
        let stack = Self::empty(Auth::Iam);
        stack.publish(ACME, &[SMALL]).await;
        stack
    }

    /// Keeps the responses that it sends, as the deployed function does.
    pub(crate) fn preparing(self) -> Self {
        let lookup = self.lookup.with_prepared(1 << 20);
        Self { lookup, ..self }
    }

    /// Without any tenant.
    pub(crate) fn empty(auth: Auth) -> Self {
        Self::over(auth, |reader| reader)
    }

    /// The same over a reader that something is added to.
    pub(crate) fn over(auth: Auth, add: impl FnOnce(CachedReader) -> CachedReader) -> Self {
        let db = EmbeddedDynamoDb::new();
        db.create_table(TABLE);
        db.exchanges().checked_by(deployed::check_lookup);
        let now = Arc::new(AtomicU64::new(NEW_YEAR_MS));
        let s3 = S3Fake::on(db.transport());
        Self {
            lookup: process(&db, &s3, &now, auth, add),
            db,
            s3,
            authorizer: signed(),
            now,
            contents: Mutex::default(),
        }
    }

    /// Another process over the same table and bucket.
    pub(crate) fn process(&self, add: impl FnOnce(CachedReader) -> CachedReader) -> Lookup {
        process(&self.db, &self.s3, &self.now, Auth::Iam, add)
    }

    /// Sets the clock of all processes.
    pub(crate) fn set_ms(&self, ms: u64) {
        self.now.store(ms, Ordering::SeqCst);
    }

    /// Lets time pass.
    pub(crate) fn wait_ms(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    /// Commits and projects these versions of a tenant, one after the other, a minute ago: young ones are read in another way.
    pub(crate) async fn publish(&self, tenant: &str, versions: &[&str]) {
        let mut old: Option<(Committed, &str)> = None;
        for file in versions {
            let head = match &old {
                None => self.load(tenant, None, file, NEW_YEAR_MS - 60_000).await,
                Some((head, before)) => self.go_on(tenant, head, before, file, NEW_YEAR_MS - 60_000).await,
            };
            old = Some((head, file));
        }
        self.db.exchanges().clear();
    }

    /// Commits and projects a version after one that was projected.
    pub(crate) async fn go_on(
        &self,
        tenant: &str,
        onto: &Committed,
        before: &str,
        file: &str,
        at: u64,
    ) -> Committed {
        self.load(tenant, Some((onto, before)), file, at).await
    }

    async fn load(&self, tenant: &str, old: Option<(&Committed, &str)>, file: &str, at: u64) -> Committed {
        let (new, before) = (taxonomy(file), old.map(|(_, file)| taxonomy(file)));
        let head = self.commit(tenant, old.map(|(head, _)| head), &new).await;
        self.write(tenant, head.version, before.as_ref(), &new).await;
        self.settle(tenant, head, at).await
    }

    /// Writes the items of a version that was committed.
    pub(crate) async fn write(
        &self,
        tenant: &str,
        version: Version,
        before: Option<&Taxonomy>,
        new: &Taxonomy,
    ) {
        let tenant = tenant_id(tenant);
        let writes = writes::between(&tenant, before, new, NEW_YEAR_MS / 1000);
        let projection = Projection::new(self.table(), 4);
        let written = projection.write(version, writes, |_| true).await;
        assert!(written.stopped.is_none());
    }

    /// Records in the head that the items of its version are written.
    pub(crate) async fn settle(&self, tenant: &str, head: Committed, at: u64) -> Committed {
        let (heads, projected) = (Heads::new(self.table()), Some(head.version));
        let marked = heads.mark_projected(&tenant_id(tenant), head.version, at).await;
        assert!(marked.unwrap());
        Committed {
            projected,
            projected_at: at,
            ..head
        }
    }

    /// The version at the head of a tenant.
    pub(crate) async fn committed(&self, tenant: &str) -> Committed {
        let (head, _) = Heads::new(self.table()).read(&tenant_id(tenant)).await.unwrap();
        head.committed.unwrap()
    }

    /// Commits a version without projecting it.
    #[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
    pub(crate) async fn commit(&self, tenant: &str, onto: Option<&Committed>, new: &Taxonomy) -> Committed {
        let tenant = tenant_id(tenant);
        let version = onto.map_or(Version::FIRST, |head| head.version.next());
        let (state, parent) = (hash(new), onto.map(|head| head.changeset.clone()));
        let changeset = Hash::digest(format!("{tenant} {version}").as_bytes());
        let identity = Identity {
            tenant: tenant.clone(),
            version,
            changeset: changeset.clone(),
            state: state.clone(),
            projection_format: 1,
        };
        let index_key = self.store_index(&identity, onto, new);
        let totals = Totals::from(&Census::new(new).totals);
        let committed_at = NEW_YEAR_MS + version.get();
        let source = SourceStamp {
            etag: "e".into(),
            version_id: String::new(),
            sha256: state.clone(),
            size: 1,
            culture: None,
        };
        let head = Committed {
            version,
            changeset: changeset.clone(),
            state: state.clone(),
            snapshot_key: "snapshot".into(),
            index_key: index_key.clone(),
            committed_at,
            format: 1,
            settings: new.settings().clone(),
            cultures: new.cultures().to_vec(),
            categories: totals.categories,
            terms: totals.terms,
            provenance: Provenance::new(|name| (name == "release").then(|| "2026.1".to_owned())),
            full: None,
            source,
            detached: false,
            projected: onto.and_then(|head| head.projected),
            projected_at: 0,
            cursor: None,
        };
        let snapshot_key = "snapshot".into();
        let entry = LogEntry {
            version,
            changeset,
            parent,
            state,
            snapshot_key,
            index_key,
            changeset_key: "changeset".into(),
            cause: Cause::Rebuild,
            provenance: Provenance::default(),
            full: false,
            facts: 0,
            source: None,
            committed_at,
            totals,
            changes: Changes::default(),
        };
        let commit = Commit {
            tenant: &tenant,
            onto,
            head: &head,
            entry: &entry,
            answer: None,
        };
        assert!(Heads::new(self.table()).commit(&commit).await.unwrap());
        head
    }

    /// Stores the index file of a version, and returns its key.
    fn store_index(&self, identity: &Identity, onto: Option<&Committed>, new: &Taxonomy) -> String {
        let mut contents = self.contents.lock().unwrap();
        let old = onto.map(|head| contents[&head.index_key].clone());
        let facts = diff(old.as_ref(), new);
        let stored = onto.map(|head| self.s3.object(CHANGESETS_BUCKET, &head.index_key).unwrap());
        let file = stored.as_ref().zip(onto).map(|(stored, head)| {
            let expected = Expected {
                tenant: &identity.tenant,
                version: head.version,
                changeset: &head.changeset,
            };
            File::open(&stored.bytes, expected).unwrap()
        });
        let built = taxonomy_index::build(&Source {
            identity,
            taxonomy: new,
            order: &Preorder::new(new, sibling_keys),
            changed: &Changed::from_facts(&facts, old.as_ref().map(Taxonomy::settings), new.settings()),
            search: &vec![Digest::from_content(b""); new.cultures().len()],
            previous: file.as_ref().zip(onto).map(|(file, head)| Previous {
                file,
                committed_at: head.committed_at,
            }),
        });
        let built = built.unwrap();
        let key = identity.index_key(built.digest);
        self.s3.put(CHANGESETS_BUCKET, &key, built.body);
        contents.insert(key.clone(), new.clone());
        key
    }

    /// A client of those who write the table; the role of the function need not allow its requests.
    pub(crate) fn writer(&self) -> Client {
        self.db.acting_as(PREPARING).client()
    }

    pub(crate) fn table(&self) -> Table {
        Table::new(self.writer(), TABLE)
    }

    /// `GET` of a path with a query, as the gateway hands it over.
    pub(crate) async fn get(&self, target: &str) -> Got {
        self.send(self.event_of("GET", target, None, None)).await
    }

    /// Sends a `GET` with these tags in `If-None-Match`.
    pub(crate) async fn get_unless(&self, target: &str, if_none_match: &str) -> Got {
        self.send(self.event_of("GET", target, Some(if_none_match), None))
            .await
    }

    /// `POST` of a body.
    pub(crate) async fn post(&self, target: &str, body: &str) -> Got {
        self.send(self.event_of("POST", target, None, Some(body))).await
    }

    /// Any method with these headers, as the gateway hands it over.
    pub(crate) async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Got {
        let mut event = self.event_of(method, target, None, None);
        for (name, value) in headers {
            event["headers"][*name] = json!(value);
        }
        self.send(event).await
    }

    /// `GET` with these headers.
    pub(crate) async fn get_with(&self, target: &str, headers: &[(&str, &str)]) -> Got {
        self.ask("GET", target, headers).await
    }

    pub(crate) fn event_of(
        &self,
        method: &str,
        target: &str,
        if_none_match: Option<&str>,
        body: Option<&str>,
    ) -> Value {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let route = routes::find(method, path).map(|found| format!("{method} {}", found.route.path));
        let route_key = route.unwrap_or_else(|_| "$default".to_owned());
        let mut event = event(method, path, query, &route_key, &self.authorizer);
        if let Some(body) = body {
            event["body"] = json!(body);
        }
        if let Some(tags) = if_none_match {
            event["headers"]["if-none-match"] = json!(tags);
        }
        event
    }

    /// Any event.
    pub(crate) async fn send(&self, event: Value) -> Got {
        self.send_to(&self.lookup, event).await
    }

    /// Any event to another process.
    pub(crate) async fn send_to(&self, lookup: &Lookup, event: Value) -> Got {
        let event: Event = serde_json::from_value(event).unwrap();
        let Response {
            status_code,
            headers,
            body,
            is_base64_encoded,
        } = lookup.answer(&event).await;
        let coding = headers.get("content-encoding").map(AsRef::as_ref);
        let method = &event.request_context.http.method;
        assert_eq!(is_base64_encoded, coding.is_some() && method != "HEAD");
        let got = Got {
            status: status_code,
            body: match status_code {
                304 => json!(body),
                _ if method == "HEAD" => json!(body),
                _ => serde_json::from_str(&decoded(coding, &body)).unwrap(),
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
        let lines = self.db.exchanges().lines();
        self.db.exchanges().clear();
        lines
    }
}

fn process(
    db: &EmbeddedDynamoDb,
    s3: &S3Fake,
    now: &Arc<AtomicU64>,
    auth: Auth,
    add: impl FnOnce(CachedReader) -> CachedReader,
) -> Lookup {
    let time = now.clone();
    let clock = Arc::new(move || time.load(Ordering::SeqCst));
    let table = Table::new(db.client(), TABLE);
    let reader = Reader::new(table.clone());
    let reader = add(CachedReader::new(reader, clock.clone(), 1 << 20));
    let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 1 << 20);
    let heads = Heads::new(table.clone());
    let context = Context::new(reader, Aggregates::new(table)).with_versions(versions, heads);
    Lookup::new(auth, CacheControl::default(), context, clock)
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
        let code = self.body["type"]
            .as_str()
            .unwrap()
            .trim_start_matches("/problems/");
        let pointer = self.body["pointer"].as_str().map(|pointer| format!(" {pointer}"));
        format!("{} {code}{}", self.status, pointer.unwrap_or_default())
    }
}

pub(crate) fn taxonomy(file: &str) -> Taxonomy {
    let culture = EN_GB.parse().unwrap();
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: culture,
        fallback_chain: Vec::new(),
    };
    taxonomy_model::parse(file.as_bytes(), &defaults, Limits::default())
        .unwrap()
        .taxonomy
}

fn tenant_id(tenant: &str) -> TenantId {
    tenant.parse().unwrap()
}

/// [`SMALL`] without the term 101 and what is below it, and with the second category gone.
pub(crate) fn smaller() -> String {
    let mut file: Value = serde_json::from_str(SMALL).unwrap();
    file["categories"][0]["terms"][0]["children"] = json!([]);
    file["categories"].as_array_mut().unwrap().pop();
    file.to_string()
}
