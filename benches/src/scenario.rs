//! The measured scenarios: events through the real function, with canned bytes as the responses of the table.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lookup::CachedReader;
use lookup::{Auth, CacheControl, Context, Event, Lookup, Response};
use serde_json::json;
use taxonomy_runtime::{Clock, telemetry};
use taxonomy_store::{Aggregates, Consistency, Reader, Table, TermItem};

use crate::Failure;
use crate::canned::{self, TABLE, TENANT};

/// N: enough that what grows now and then, such as a map, is spread evenly.
pub(crate) const ANSWERS: usize = 200;
const CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// Any time will do, as long as the version is not young.
const NOW_MS: u64 = 1_767_225_600_000;
/// Longer than a head is good for.
const STALE_MS: u64 = 3_000;

/// A counted scenario; [`Scenario::what`] describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    Hit,
    Entry,
    NotModified,
    Batch,
    Names,
    Miss,
    Uncached,
    Read,
}

impl Scenario {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 8] = [
        Self::Hit,
        Self::Entry,
        Self::NotModified,
        Self::Batch,
        Self::Names,
        Self::Miss,
        Self::Uncached,
        Self::Read,
    ];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scenario| scenario.name() == name)
    }

    /// The name in the table and in arguments.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Entry => "entry",
            Self::NotModified => "not-modified",
            Self::Batch => "batch",
            Self::Names => "names",
            Self::Miss => "miss",
            Self::Uncached => "uncached",
            Self::Read => "read",
        }
    }

    /// Describes one answer.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Hit => "a term with four ancestors, by a request that was answered before",
            Self::Entry => "the same by another request: the response is written from the entry in memory",
            Self::NotModified => "the same to a caller that has it: 304",
            Self::Batch => "a hundred terms, from their entries in memory",
            Self::Names => "their FinalNames alone, which is what an expander requests",
            Self::Miss => "a term with four ancestors by GetItem, the head from memory",
            Self::Uncached => "the same with the head by a Query, nothing from memory",
            Self::Read => "the GetItem alone, by the reader: no event, no head, no answer",
        }
    }
}

/// The function, and its event.
struct Bench {
    lookup: Lookup,
    reader: Reader,
    now: Arc<AtomicU64>,
}

/// Answers so many times. Whatever the number, as much is prepared, so that preparing cancels out.
pub(crate) fn run(scenario: Scenario, answers: usize) -> Result<(), Failure> {
    telemetry::init();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(Box::pin(work(scenario, answers)))
}

async fn work(scenario: Scenario, answers: usize) -> Result<(), Failure> {
    if answers > 2 * ANSWERS {
        return Err(format!("at most {} answers are prepared", 2 * ANSWERS).into());
    }
    let (bench, ids) = Bench::new(scenario)?;
    let term = event(&format!("terms/{}", canned::TERM), "", None);
    let first = bench.answer(&term).await?;
    let events = match scenario {
        Scenario::Hit | Scenario::Entry => vec![term; 2 * ANSWERS],
        Scenario::NotModified => {
            let tag = first.headers.get("etag").ok_or("no tag")?;
            vec![event(&format!("terms/{}", canned::TERM), "", Some(tag)); 2 * ANSWERS]
        }
        Scenario::Batch | Scenario::Names => {
            let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
            let fields = match scenario {
                Scenario::Names => "fields=version,finalName,ancestors.finalName&",
                _ => "",
            };
            let batch = event("terms", &format!("{fields}ids={}", ids.join(",")), None);
            bench.answer(&batch).await?;
            vec![batch; 2 * ANSWERS]
        }
        Scenario::Miss | Scenario::Uncached | Scenario::Read => {
            let others = (0..2 * ANSWERS as u64).map(canned::other_term);
            others.map(|id| event(&format!("terms/{id}"), "", None)).collect()
        }
    };
    let expected = match scenario {
        Scenario::NotModified => 304,
        _ => 200,
    };
    for (number, event) in (0..).zip(events.iter().take(answers)) {
        if scenario == Scenario::Read {
            bench.read(number).await?;
            continue;
        }
        if scenario == Scenario::Uncached {
            bench.now.fetch_add(STALE_MS, Ordering::Relaxed);
        }
        let answer = bench.answer(event).await?;
        if answer.status_code != expected {
            return Err(format!("{}: {}", answer.status_code, answer.body).into());
        }
    }
    Ok(())
}

impl Bench {
    /// With the ids of a hundred terms that are there.
    fn new(scenario: Scenario) -> Result<(Self, Vec<u64>), Failure> {
        let (entry_bytes, prepared_bytes) = match scenario {
            Scenario::Hit | Scenario::NotModified | Scenario::Miss | Scenario::Read => {
                (CACHE_BYTES, CACHE_BYTES / 4)
            }
            // Each answers the same request again and again, in place of different ones.
            Scenario::Entry | Scenario::Batch | Scenario::Names => (CACHE_BYTES, 0),
            Scenario::Uncached => (0, 0),
        };
        let (sdk, ids) = canned::sdk(2 * ANSWERS)?;
        let table = Table::new(aws_sdk_dynamodb::Client::new(&sdk), TABLE);
        let now = Arc::new(AtomicU64::new(NOW_MS));
        let time = now.clone();
        let clock: Arc<dyn Clock> = Arc::new(move || time.load(Ordering::Relaxed));
        let reader = Reader::new(table.clone());
        let cached = CachedReader::new(reader.clone(), clock.clone(), entry_bytes);
        let context = Context::new(cached, Aggregates::new(table));
        let lookup =
            Lookup::new(Auth::Iam, CacheControl::default(), context, clock).with_prepared(prepared_bytes);
        Ok((Self { lookup, reader, now }, ids))
    }

    /// From the bytes of an event to the bytes of an answer, as the runtime has them.
    async fn answer(&self, event: &[u8]) -> Result<Response, Failure> {
        let event: Event = serde_json::from_slice(event)?;
        let answer = self.lookup.answer(&event).await;
        std::hint::black_box(serde_json::to_vec(&answer)?);
        Ok(answer)
    }

    async fn read(&self, number: u64) -> Result<(), Failure> {
        let (tenant, id) = (TENANT.parse()?, canned::other_term(number).to_string().parse()?);
        let item = TermItem { id, culture: None };
        let read = self
            .reader
            .term_items(&tenant, &[item], Consistency::Eventual)
            .await?;
        if read
            .iter()
            .any(|read| read.as_ref().is_ok_and(|read| read.value.is_none()))
        {
            return Err("the term is not there".into());
        }
        Ok(())
    }
}

/// An event as API Gateway sends it.
pub(crate) fn event(path: &str, query: &str, if_none_match: Option<&str>) -> Vec<u8> {
    let (route, parameters) = match path.split_once('/') {
        Some((first, id)) => (
            format!("GET /v1/tenants/{{tenant}}/{first}/{{id}}"),
            json!({"tenant": TENANT, "id": id}),
        ),
        None => (
            format!("GET /v1/tenants/{{tenant}}/{path}"),
            json!({"tenant": TENANT}),
        ),
    };
    let path = format!("/v1/tenants/{TENANT}/{path}");
    let mut event = json!({
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": query,
        "headers": {
            "accept": "application/json",
            "authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-west-1/execute-api/aws4_request",
            "host": "abcdefghij.execute-api.eu-west-1.amazonaws.com",
            "user-agent": "metric-expander",
            "x-forwarded-for": "192.0.2.1",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "pathParameters": parameters,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "abcdefghij",
            "authorizer": {"iam": {
                "accountId": "123456789012",
                "callerId": "AROA:1",
                "userArn": "arn:aws:sts::123456789012:assumed-role/expander/1",
            }},
            "domainName": "abcdefghij.execute-api.eu-west-1.amazonaws.com",
            "http": {"method": "GET", "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "metric-expander"},
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": route,
            "stage": "$default",
            "time": "01/Jan/2026:00:00:00 +0000",
            "timeEpoch": NOW_MS,
        },
        "isBase64Encoded": false,
    });
    if let Some(tag) = if_none_match {
        event["headers"]["if-none-match"] = json!(tag);
    }
    event.to_string().into_bytes()
}
