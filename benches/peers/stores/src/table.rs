//! The service and the article's design, over the same table: an embedded DynamoDB and buckets in memory of the process. The service is the
//! real projector and the real lookup, from the bytes of an event to those of a response. Lambda's runtime, the network and DynamoDB are not there.

use std::sync::Arc;

use futures_util::future::try_join_all;
use lookup::CachedReader;
use lookup::files::VersionFiles;
use lookup::{Auth, CacheControl, Context, Event, Lookup};
use serde::Deserialize;
use serde_json::json;
use taxonomy_store::{Aggregates, Archive, Heads, Reader, Table};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, NEW_YEAR_MS, TABLE};
use taxonomy_tests::world::World;

use crate::article::Article;
use crate::local::{Local, Response, parts};
use crate::question::{Answer, Failure, Way, ways};
use crate::rows::{Named, Rows, documents, lines};

const TENANT: &str = "acme";
/// A week after the versions, none of which is young then.
const NOW_MS: u64 = NEW_YEAR_MS + 7 * 86_400_000;
/// As the template sets them.
const ENTRY_BYTES: u64 = 64 << 20;
const VERSION_BYTES: u64 = 32 << 20;
const MAX_FILE_BYTES: u64 = 2 << 30;

const SERVICE: &str = "the service";
const ARTICLE: &str = "the article's design";
ways! {
    WAYS:
    SERVICE, Term, "from its entry in memory", "/warm", documents;
    SERVICE, Term, "the response of the same request before", "/again", documents;
    SERVICE, Term, "GetItem, nothing in memory but the head", "/cold", documents;
    SERVICE, Batch, "from their entries in memory", "/warm", batch;
    SERVICE, Batch, "BatchGetItem, nothing in memory but the head", "/cold", batch;
    SERVICE, AsOf, "version=, blocks of the index file in memory", "/before", documents;
    ARTICLE, Term, "a Query a term, an item a parent", "/article", lines;
    ARTICLE, Batch, "a Query a term, all at once", "/article", lines;
}

pub struct Tables {
    world: World,
    article: Article,
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

fn batch(body: &str) -> Result<Answer, Failure> {
    let batch: Batch = serde_json::from_str(body)?;
    Ok(batch
        .items
        .into_iter()
        .flat_map(|item| item.term.names())
        .collect())
}

impl Tables {
    /// Publishes both versions, and writes the article's items of the terms that are asked for.
    pub fn load(versions: [&[u8]; 2], rows: &Rows, before: &Rows) -> Result<Self, Failure> {
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
        let article = runtime.block_on(Article::load(world.db.client(), rows, before))?;
        world.exchanges().clear();
        let again = process(&world, ENTRY_BYTES, ENTRY_BYTES / 4);
        let (warm, cold) = (process(&world, ENTRY_BYTES, 0), process(&world, 0, 0));
        Ok(Self {
            world,
            article,
            again,
            warm,
            cold,
        })
    }

    /// Returns the body of a response, from the bytes of an event to the bytes that the runtime sends.
    async fn ask(&self, lookup: &Lookup, path: &str, query: &str) -> Result<String, Failure> {
        let event: Event = serde_json::from_slice(&event(path, query))?;
        let response = lookup.answer(&event).await;
        std::hint::black_box(serde_json::to_vec(&response)?);
        match response.status_code {
            200 => Ok(response.body.to_string()),
            status => Err(format!("{path}?{query}: {status} {}", response.body).into()),
        }
    }

    async fn respond(&self, target: &str) -> Result<String, Failure> {
        let (path, ids) = parts(target)?;
        let (_, text) = target.rsplit_once('/').unwrap_or_default();
        let lookup = match path {
            "/article" => {
                let found = try_join_all(ids.iter().map(|id| self.article.lineage(*id))).await?;
                return Ok(found.concat().join("\n"));
            }
            "/again" => &self.again,
            "/cold" => &self.cold,
            _ => &self.warm,
        };
        match (path, ids.len()) {
            ("/before", _) => self.ask(lookup, &format!("terms/{text}"), "version=1").await,
            (_, 1) => self.ask(lookup, &format!("terms/{text}"), "").await,
            _ => self.ask(lookup, "terms", &format!("ids={text}")).await,
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

/// An event of API Gateway for a path below the tenant: `terms`, or `terms/{id}`.
fn event(path: &str, query: &str) -> Vec<u8> {
    let (route, parameters) = match path.strip_prefix("terms/") {
        Some(id) => (
            "GET /v1/tenants/{tenant}/terms/{id}",
            json!({"tenant": TENANT, "id": id}),
        ),
        None => ("GET /v1/tenants/{tenant}/terms", json!({"tenant": TENANT})),
    };
    let path = format!("/v1/tenants/{TENANT}/{path}");
    let event = json!({
        "version": "2.0", "routeKey": route, "rawPath": path, "rawQueryString": query, "headers": {"accept": "application/json"},
        "pathParameters": parameters, "isBase64Encoded": false,
        "requestContext": {"http": {"method": "GET", "path": path}, "requestId": "JKJaXmPLvHcESHA=", "stage": "$default"},
    });
    event.to_string().into_bytes()
}

impl Local for Tables {
    fn ways(&self) -> &'static [Way] {
        WAYS
    }

    fn respond<'a>(&'a self, target: &'a str) -> Response<'a> {
        Box::pin(self.respond(target))
    }

    fn take_cost(&self) -> Option<(usize, f64)> {
        let exchanges = self.world.exchanges();
        let all = exchanges.all();
        exchanges.clear();
        Some((
            all.len(),
            all.iter()
                .filter_map(|exchange| exchange.units)
                .fold(0.0, |sum, units| sum + units),
        ))
    }
}
