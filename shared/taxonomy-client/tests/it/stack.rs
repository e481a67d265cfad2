//! The lookup over an embedded table, written by the real writers.

use std::sync::Arc;

use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Context, Event, Lookup, Response};
use serde_json::Value;
use taxonomy_collation::sibling_keys;
use taxonomy_index::search::{Entry, Kind, write};
use taxonomy_index::{Changed, Digest, Identity, Preorder, Source};
use taxonomy_keys::{CategoryId, Culture, Month, TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::snapshot::hash;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Changes, Defaults, Hash, Limits, Provenance, Taxonomy, Totals, diff, writes};
use taxonomy_store::{
    Aggregates, Archive, Commit, Committed, Heads, LogEntry, Projection, Reader, SourceStamp, Table,
};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, EN_GB, NEW_YEAR_MS, TABLE};
use taxonomy_testkit::iam::deployed::{self, PREPARING};
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake};

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

/// A lookup and its table.
pub(crate) struct Stack {
    db: EmbeddedDynamoDb,
    s3: S3Fake,
    lookup: Lookup,
}

impl Stack {
    /// Without any tenant.
    pub(crate) fn empty() -> Self {
        let db = EmbeddedDynamoDb::new();
        db.create_table(TABLE);
        db.exchanges().checked_by(deployed::check_lookup);
        let clock = Arc::new(|| NEW_YEAR_MS);
        let reader = Reader::new(Table::new(db.client(), TABLE));
        let reader = CachedReader::new(reader, clock.clone(), 1 << 20);
        let table = || Table::new(db.client(), TABLE);
        let s3 = S3Fake::on(db.transport());
        let versions = VersionFiles::new(Archive::new(s3.client(), CHANGESETS_BUCKET), 1 << 20);
        let world =
            Context::new(reader, Aggregates::new(table())).with_versions(versions, Heads::new(table()));
        let lookup = Lookup::new(Auth::Iam, CacheControl::default(), world, clock);
        Self { db, s3, lookup }
    }

    /// The lookup's answer to an event.
    pub(crate) async fn answer(&self, event: Value) -> Response {
        let event: Event = serde_json::from_value(event).unwrap();
        self.lookup.answer(&event).await
    }

    /// Commits and projects a file as the tenant's first version, an hour ago.
    pub(crate) async fn publish(&self, tenant: &str, file: &str) {
        let (tenant, new) = (tenant.parse().unwrap(), taxonomy(file));
        let head = self.commit(&tenant, &new).await;
        let items = writes::between(&tenant, None, &new, NEW_YEAR_MS / 1000);
        let written = Projection::new(self.table(), 4)
            .write(head.version, items, |_| true)
            .await;
        assert!(written.stopped.is_none());
        let heads = Heads::new(self.table());
        assert!(
            heads
                .mark_projected(&tenant, head.version, NEW_YEAR_MS - 3_600_000)
                .await
                .unwrap()
        );
    }

    /// Counts a file as the aggregator does.
    pub(crate) async fn count(&self, tenant: &str, file: &str) {
        let tenant: TenantId = tenant.parse().unwrap();
        let aggregates = Aggregates::new(self.table());
        let Census { totals, categories } = Census::new(&taxonomy(file));
        for category in categories {
            let stats = CategoryStats {
                id: CategoryId::new(category.id).unwrap(),
                counts: category.counts,
                changed_at: NEW_YEAR_MS,
                removed: false,
            };
            let put = aggregates.put_category(&tenant, Version::FIRST, &stats);
            assert!(put.await.unwrap());
        }
        let changes = Changes {
            added: 4,
            moved: 1,
            final_names: 3,
            ..Changes::default()
        };
        let month = Month::new(2026, 1).unwrap();
        let counted = aggregates.count(&tenant, Version::FIRST, month, Activity::new(changes));
        assert!(counted.await.unwrap());
        let stats = TenantStats {
            counts: totals,
            changed_at: NEW_YEAR_MS,
            added: 4,
            changed: 0,
            removed: 0,
        };
        let put = aggregates.put_tenant(&tenant, Version::FIRST, &stats);
        put.await.unwrap();
    }

    #[expect(clippy::too_many_lines, reason = "the steps of one setup")]
    async fn commit(&self, tenant: &TenantId, new: &Taxonomy) -> Committed {
        let (version, state) = (Version::FIRST, hash(new));
        let changeset = Hash::digest(tenant.as_str().as_bytes());
        let totals = Totals::from(&Census::new(new).totals);
        let identity = Identity {
            tenant: tenant.clone(),
            version,
            changeset: changeset.clone(),
            state: state.clone(),
            projection_format: 1,
        };
        let order = Preorder::new(new, sibling_keys);
        let cultures = new.cultures().iter();
        let search: Vec<Digest> = cultures
            .map(|culture| {
                let body = search_object(new, &order, culture);
                let digest = Digest::from_content(&body);
                let key = identity.search_key(culture, digest);
                self.s3.put(CHANGESETS_BUCKET, &key, body);
                digest
            })
            .collect();
        let built = taxonomy_index::build(&Source {
            identity: &identity,
            taxonomy: new,
            order: &order,
            changed: &Changed::from_facts(&diff(None, new), None, new.settings()),
            search: &search,
            previous: None,
        });
        let built = built.unwrap();
        let index_key = identity.index_key(built.digest);
        self.s3.put(CHANGESETS_BUCKET, &index_key, built.body);
        let head = Committed {
            version,
            changeset: changeset.clone(),
            state: state.clone(),
            snapshot_key: "snapshot".into(),
            index_key: index_key.clone(),
            committed_at: NEW_YEAR_MS,
            format: 1,
            settings: new.settings().clone(),
            cultures: new.cultures().to_vec(),
            categories: totals.categories,
            terms: totals.terms,
            provenance: Provenance::new(|name| (name == "release").then(|| "2026.1".to_owned())),
            full: None,
            source: SourceStamp {
                etag: "e".into(),
                version_id: String::new(),
                sha256: state.clone(),
                size: 1,
                culture: None,
            },
            detached: false,
            projected: None,
            projected_at: 0,
            cursor: None,
        };
        let entry = LogEntry {
            version,
            changeset,
            parent: None,
            state,
            snapshot_key: "snapshot".into(),
            index_key,
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
            tenant,
            onto: None,
            head: &head,
            entry: &entry,
            answer: None,
        };
        assert!(Heads::new(self.table()).commit(&commit).await.unwrap());
        head
    }

    fn table(&self) -> Table {
        Table::new(self.db.acting_as(PREPARING).client(), TABLE)
    }
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

/// Returns the search object of a culture, with the preferred names alone.
fn search_object(taxonomy: &Taxonomy, order: &Preorder, culture: &Culture) -> Vec<u8> {
    let categories = order.categories_of(taxonomy);
    let categories = categories.map(|category| (category.id().get(), 0, category.node));
    let terms = order.terms_of(taxonomy);
    let terms = terms.map(|term| (term.id().get(), term.depth(), term.node));
    let entries = (0..).zip(categories.chain(terms));
    let entries = entries.filter_map(|(ordinal, (id, depth, node))| {
        Some(Entry {
            ordinal,
            id,
            name: node.name_in(culture)?.name,
            kind: Kind::Preferred,
            depth,
            deprecated: node.details().deprecated,
            sort_key: "",
        })
    });
    write(culture.into(), order.len(), entries.collect()).unwrap()
}
