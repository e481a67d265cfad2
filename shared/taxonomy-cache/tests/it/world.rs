//! A tenant's versions, step by step, and a reader with a clock of its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use taxonomy_cache::{CachedReader, SecondTier, Unreadable, View};
use taxonomy_keys::{CategoryId, TenantId, TermId, Version};
use taxonomy_model::Provenance;
use taxonomy_model::changeset::Cause;
use taxonomy_model::snapshot::hash;
use taxonomy_model::writes::Write;
use taxonomy_model::{Census, Changes, Defaults, Hash, Limits, Taxonomy, Totals, writes};
use taxonomy_store::{
    Commit, CommitOutcome, Committed, Heads, LogEntry, Projection, Reader, SourceStamp, Table,
};
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::fixtures::{ACME, EN_GB, NEW_YEAR_MS, TABLE};

/// More than the tests need.
pub(crate) const BYTES: u64 = 1 << 20;

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

/// The table, and the version at its head.
pub(crate) struct World {
    pub(crate) db: EmbeddedDynamoDb,
    pub(crate) tenant: TenantId,
    now: Arc<AtomicU64>,
    last: Mutex<Option<(Committed, Arc<Taxonomy>)>>,
    before: Mutex<Option<Arc<Taxonomy>>>,
}

impl World {
    pub(crate) fn new() -> Self {
        let db = EmbeddedDynamoDb::new();
        db.create_table(TABLE);
        Self {
            db,
            tenant: ACME.parse().unwrap(),
            now: Arc::new(AtomicU64::new(NEW_YEAR_MS)),
            last: Mutex::default(),
            before: Mutex::default(),
        }
    }

    /// With a version that was projected so long ago, and nothing on the record of the wire.
    pub(crate) async fn with(word: &str, age_ms: u64) -> Self {
        let world = Self::new();
        world.publish(&file(word), NEW_YEAR_MS - age_ms).await;
        world.db.exchanges().clear();
        world
    }

    /// With a version that is a minute old.
    pub(crate) async fn old(word: &str) -> Self {
        Self::with(word, 60_000).await
    }

    /// Another process over the same table.
    pub(crate) fn reader(&self) -> CachedReader {
        self.reader_of(BYTES)
    }

    pub(crate) fn reader_of(&self, bytes: u64) -> CachedReader {
        let now = self.now.clone();
        let clock = Arc::new(move || now.load(Ordering::SeqCst));
        CachedReader::new(Reader::new(self.table()), clock, bytes)
    }

    pub(crate) fn reader_with(&self, tier: Arc<dyn SecondTier>) -> CachedReader {
        self.reader().with_second_tier(tier)
    }

    pub(crate) fn wait_ms(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    /// Sets the reader's clock.
    pub(crate) fn set_ms(&self, ms: u64) {
        self.now.store(ms, Ordering::SeqCst);
    }

    /// Another tenant of the same table.
    pub(crate) fn other(&self, tenant: &str) -> Self {
        Self {
            db: self.db.clone(),
            tenant: tenant.parse().unwrap(),
            now: self.now.clone(),
            last: Mutex::default(),
            before: Mutex::default(),
        }
    }

    fn table(&self) -> Table {
        Table::new(self.db.client(), TABLE)
    }

    pub(crate) async fn publish(&self, file: &str, at: u64) {
        self.commit(file).await;
        self.write().await;
        self.settle(at).await;
    }

    /// The first step of a projection: the head records the new version.
    #[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
    pub(crate) async fn commit(&self, file: &str) {
        let new = Arc::new(taxonomy(file));
        let (onto, before) = self.last.lock().unwrap().take().unzip();
        let version = onto.as_ref().map_or(Version::FIRST, |head| head.version.next());
        let state = hash(&new);
        let changeset = Hash::of(format!("{} {version} {state}", self.tenant).as_bytes());
        let totals = Totals::from(&Census::of(&new).totals);
        let head = Committed {
            version,
            changeset: changeset.clone(),
            state: state.clone(),
            snapshot_key: "snapshot".into(),
            index_key: "index".into(),
            committed_at: NEW_YEAR_MS,
            format: 1,
            settings: new.settings().clone(),
            cultures: new.cultures().to_vec(),
            categories: totals.categories,
            terms: totals.terms,
            provenance: Provenance::default(),
            full: None,
            source: SourceStamp {
                etag: "e".into(),
                version_id: String::new(),
                sha256: state.clone(),
                size: 1,
                culture: None,
            },
            detached: false,
            projected: onto.as_ref().and_then(|head| head.projected),
            projected_at: onto.as_ref().map_or(0, |head| head.projected_at),
            cursor: None,
        };
        let entry = LogEntry {
            version,
            changeset,
            parent: onto.as_ref().map(|head| head.changeset.clone()),
            state,
            snapshot_key: "snapshot".into(),
            index_key: "index".into(),
            changeset_key: "changeset".into(),
            cause: Cause::Rebuild,
            provenance: Provenance::default(),
            full: false,
            facts: 0,
            source: None,
            committed_at: NEW_YEAR_MS,
            totals,
            changes: Changes::default(),
        };
        let commit = Commit {
            tenant: &self.tenant,
            onto: onto.as_ref(),
            head: &head,
            entry: &entry,
            answer: None,
        };
        let outcome = Heads::new(self.table()).commit(&commit).await.unwrap();
        assert_eq!(outcome, CommitOutcome::Committed);
        *self.last.lock().unwrap() = Some((head, new));
        *self.before.lock().unwrap() = before;
    }

    /// The second: the items.
    pub(crate) async fn write(&self) {
        self.write_where(|_| true).await;
    }

    /// Only some of them.
    pub(crate) async fn write_where(&self, is_written: impl Fn(&Write) -> bool) {
        let (head, new) = self.last.lock().unwrap().clone().unwrap();
        let before = self.before.lock().unwrap().clone();
        let writes = writes::between(&self.tenant, before.as_deref(), &new, NEW_YEAR_MS / 1000);
        let writes = writes.filter(is_written);
        let written = Projection::new(self.table(), 4)
            .write(head.version, writes, |_| true)
            .await;
        assert!(written.stopped.is_none());
    }

    /// The last step: the head records that the items are written.
    pub(crate) async fn settle(&self, at: u64) {
        let (mut head, new) = self.last.lock().unwrap().clone().unwrap();
        let heads = Heads::new(self.table());
        assert!(
            heads
                .mark_projected(&self.tenant, head.version, at)
                .await
                .unwrap()
        );
        (head.projected, head.projected_at) = (Some(head.version), at);
        *self.last.lock().unwrap() = Some((head, new));
    }

    pub(crate) async fn view(&self, reader: &CachedReader) -> View {
        reader.view(&self.tenant).await.unwrap().unwrap()
    }

    /// The outcome of a request: the name of a term in the default culture, and the tag.
    pub(crate) async fn term(&self, reader: &CachedReader, id: u64) -> Answered {
        self.term_in(reader, id, None).await
    }

    /// The same of the item in a further culture.
    pub(crate) async fn term_in(&self, reader: &CachedReader, id: u64, tag: Option<&str>) -> Answered {
        let view = self.view(reader).await;
        if !view.trusts_the_table() {
            return by_file();
        }
        let culture = tag.map(|tag| tag.parse().unwrap());
        let read = reader.terms(&view, &[term(id)], culture.as_ref()).await;
        let found = read.unwrap().remove(&term(id)).unwrap();
        answered(
            &view,
            found.map(|found| found.map(|found| found.value.name.clone())),
        )
    }

    pub(crate) async fn category(&self, reader: &CachedReader, id: u64) -> Answered {
        let view = self.view(reader).await;
        if !view.trusts_the_table() {
            return by_file();
        }
        let found = reader
            .category(&view, CategoryId::new(id).unwrap())
            .await
            .unwrap();
        answered(
            &view,
            found.map(|found| found.map(|found| found.value.name.clone())),
        )
    }

    /// Waits until a request about a key like this is at the gate, and returns its number.
    pub(crate) async fn arrived(&self, key: &str) -> u64 {
        let mut pending = Vec::new();
        for _ in 0..1_000 {
            pending = self.db.transport().pending();
            if pending.iter().any(|pending| pending.target.contains(key)) {
                break;
            }
            tokio::task::yield_now().await;
        }
        let found = pending.iter().find(|pending| pending.target.contains(key));
        found.unwrap().id
    }

    /// The requests since the last time, with their units: the operation, or that it read the head.
    pub(crate) fn requests(&self) -> Vec<String> {
        let all = self.db.exchanges().all();
        self.db.exchanges().clear();
        let line = |exchange: &taxonomy_testkit::Exchange| {
            let of_head = exchange.target.contains("HEAD");
            let what = if of_head { "Head" } else { &exchange.operation };
            format!("{what} {}", exchange.units.unwrap_or_default())
        };
        all.iter().map(line).collect()
    }
}

/// An answer of the table, and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) answer: Option<String>,
    pub(crate) firm: Option<u64>,
}

fn answered(view: &View, answer: Result<Option<String>, Unreadable>) -> Answered {
    match answer {
        Ok(answer) => Answered {
            answer,
            firm: Some(view.version().get()),
        },
        Err(error) => {
            assert!(matches!(error, Unreadable::Newer), "{error}");
            by_file()
        }
    }
}

/// Exactly the content of this version.
pub(crate) fn firm(version: u64, answer: &str) -> Answered {
    Answered {
        answer: Some(answer.to_owned()),
        firm: Some(version),
    }
}

/// No answer: the table has none of this version, so the index file is read.
pub(crate) fn by_file() -> Answered {
    Answered {
        answer: None,
        firm: None,
    }
}

pub(crate) fn term(id: u64) -> TermId {
    TermId::new(id).unwrap()
}

fn taxonomy(file: &str) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: EN_GB.parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    taxonomy_model::parse(file.as_bytes(), &defaults, Limits::default())
        .unwrap()
        .taxonomy
}
