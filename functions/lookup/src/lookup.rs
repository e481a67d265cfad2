//! A request from beginning to end, and its line in the log.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taxonomy_cache::{CachedReader, Trouble};
use taxonomy_http::Accepted;
use taxonomy_keys::TenantId;
use taxonomy_runtime::{AwsEnv, Clock, ConfigError, Metric, Metrics, Patience, sdk_config};
use taxonomy_store::usage::{self, Usage};
use taxonomy_store::{Aggregates, Archive, DownloadQueue, Heads, Reader, Table};
use taxonomy_valkey::Valkey;
use taxonomy_versions::Versions;

use crate::authorise::{Auth, AuthorisedTenant, Readable, authorise, authorise_listing};
use crate::config::{CacheControl, Config};
use crate::downloads::Downloads;
use crate::event::{Answer, Event};
use crate::fields::Fields;
use crate::negotiation::Negotiation;
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::reply::{self, Reply, Sending};
use crate::routes::{self, Handler, Matched, OfCaller, OfTenant};
use crate::world::{Asked, Listing, World};

/// How long a caller waits in all, however often anything inside is tried again. The function itself has two seconds more.
const LONGEST: Duration = Duration::from_secs(8);
/// How often a request begins again because others have seen a newer version. Each time it looks at that one, so a second time needs
/// a version a moment.
const BEGINNINGS: usize = 3;

/// The function: events in, answers out.
pub struct Lookup {
    auth: Auth,
    cache_control: CacheControl,
    world: World,
    clock: Arc<dyn Clock>,
    metrics: Mutex<Metrics>,
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

/// What the log says of a request: never its query, body or token.
#[derive(Default)]
struct Line {
    route: Option<&'static str>,
    tenant: Option<TenantId>,
}

impl Lookup {
    /// The function as it is configured, over AWS.
    ///
    /// # Errors
    /// [`ConfigError`] when the second tier's address is none.
    pub fn connected(config: Config, aws: &AwsEnv, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let sdk = sdk_config(aws, Patience::REQUESTS);
        let table = Table::new(aws_sdk_dynamodb::Client::new(&sdk), &config.table);
        let s3 = aws_sdk_s3::config::Builder::from(&sdk).force_path_style(aws.path_style());
        let s3 = aws_sdk_s3::Client::from_conf(s3.build());
        let archive = Archive::new(s3, &config.changesets_bucket);
        let queue = DownloadQueue::new(aws_sdk_sqs::Client::new(&sdk), &config.download_queue);
        let downloads = Downloads::new(archive.clone(), queue, clock.clone());
        let versions = Versions::new(archive, config.index_cache_bytes);
        let reader = CachedReader::new(Reader::new(table.clone()), clock.clone(), config.cache_bytes);
        let reader = match config.valkey {
            Some(valkey) => reader.with_second_tier(Arc::new(Valkey::new(&valkey, clock.clone())?)),
            None => reader,
        };
        let world = World::new(reader, Aggregates::new(table.clone()))
            .with_versions(versions, Heads::new(table))
            .with_downloads(downloads);
        Ok(Self {
            metrics: Mutex::new(Metrics::new(&config.function)),
            ..Self::new(config.auth, config.cache_control, world, clock)
        })
    }

    /// Answers what is found in `world`; answers with a tag go with `cache_control`.
    #[must_use]
    pub fn new(auth: Auth, cache_control: CacheControl, world: World, clock: Arc<dyn Clock>) -> Self {
        Self {
            auth,
            cache_control,
            world,
            clock,
            metrics: Mutex::new(Metrics::new("lookup")),
        }
    }

    /// Does before the first request what it would otherwise wait for.
    pub async fn warm_up(&self) {
        Box::pin(self.world.source.warm_up()).await;
    }

    /// Answers a request, whatever it is. What goes wrong inside is logged here, once, and told to nobody else.
    ///
    /// Delivery: the gateway waits for the answer and repeats nothing. Asking again is the caller's business, and safe, since
    /// nothing is written here.
    pub async fn answer(&self, event: &Event) -> Answer {
        let started = self.clock.now_ms();
        let mut line = Line::default();
        // Boxed, because with the SDK's futures inside the compiler gives up on the depth of the whole.
        let handling = tokio::time::timeout(LONGEST, Box::pin(self.handle(event, &mut line)));
        let (outcome, usage) = match event.headers.asks_for_usage() {
            false => (handling.await, None),
            true => usage::measured(handling).await,
        };
        let outcome = outcome.unwrap_or_else(|late| Err(Problem::unavailable(late)));
        let (answer, cause) = self.send(event, outcome, usage);
        let duration_ms = self.clock.now_ms().saturating_sub(started);
        line.log(event, answer.status_code, duration_ms, cause.as_deref());
        self.note_trouble();
        answer
    }

    /// The answer, and the cause of a problem for the log.
    fn send(
        &self,
        event: &Event,
        outcome: Result<Reply, Problem>,
        usage: Option<Usage>,
    ) -> (Answer, Option<String>) {
        let sending = Sending {
            auth: &self.auth,
            cache_control: &self.cache_control,
            accepted: Accepted::by(event.headers.accept_encoding.as_deref()),
        };
        let sent = outcome.and_then(|reply| reply::found(reply, sending));
        let cause = sent.as_ref().err().and_then(Problem::cause);
        let mut answer = sent.unwrap_or_else(|problem| reply::refused(&problem, &self.auth));
        if let Some(request_id) = event.request_context.request_id.as_deref() {
            answer.headers.insert("x-request-id", request_id.to_owned());
        }
        if let Some(usage) = usage {
            answer.headers.insert("taxonomy-debug", usage.to_string());
        }
        match event.request_context.http.method.as_str() {
            "HEAD" => (reply::without_body(answer), cause),
            _ => (answer, cause),
        }
    }

    /// Trouble with the second tier is nobody's error, so this is all that is ever seen of it.
    fn note_trouble(&self) {
        let Trouble { failed, skipped } = self.world.source.take_trouble();
        if failed + skipped == 0 {
            return;
        }
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.count(Metric::CacheFailed, failed);
            metrics.count(Metric::CacheSkipped, skipped);
            metrics.emit(&*self.clock);
        }
    }

    async fn handle(&self, event: &Event, line: &mut Line) -> Result<Reply, Problem> {
        let context = &event.request_context;
        let matched = routes::find(&context.http.method, &event.raw_path)?;
        line.route = Some(matched.route.path);
        let (auth, parameters) = (&self.auth, &event.path_parameters);
        let question = match matched.route.handler {
            Handler::Public(handler) => return handler(),
            Handler::OfCaller(handler) => {
                Question::OfCaller(handler, authorise_listing(auth, context, parameters, &matched)?)
            }
            Handler::OfTenant(handler) => {
                let tenant = authorise(auth, context, parameters, &matched)?;
                line.tenant = Some(tenant.id().clone());
                Question::OfTenant(handler, tenant)
            }
        };
        let query = Parameters::parse(&event.raw_query_string)?;
        let fields = query.fields()?;
        let fields = fields
            .map(|text| Fields::parse(matched.route, text))
            .transpose()?;
        let mut beginnings = 1..BEGINNINGS;
        loop {
            let negotiation = Negotiation::new(&event.headers);
            let outcome = self.ask(&question, &matched, event, &query, &negotiation).await;
            if outcome.as_ref().is_err_and(Problem::has_moved) && beginnings.next().is_some() {
                continue;
            }
            let reply = negotiation.complete(outcome?, &event.raw_query_string);
            return match fields {
                None => Ok(reply),
                Some(fields) => reply.with_fields(&fields),
            };
        }
    }

    async fn ask(
        &self,
        question: &Question,
        matched: &Matched<'_>,
        event: &Event,
        query: &Parameters,
        negotiation: &Negotiation<'_>,
    ) -> Result<Reply, Problem> {
        match question {
            Question::OfCaller(handler, readable) => {
                let asked = Listing {
                    readable,
                    query,
                    negotiation,
                };
                handler(&self.world, &asked).await
            }
            Question::OfTenant(handler, tenant) => {
                let asked = Asked {
                    tenant,
                    id: matched.id,
                    event,
                    query,
                    negotiation,
                };
                handler(&self.world, &asked).await
            }
        }
    }
}

/// A question that its caller may ask.
enum Question {
    OfCaller(OfCaller, Readable),
    OfTenant(OfTenant, AuthorisedTenant),
}

impl Line {
    fn log(&self, event: &Event, status: u16, duration_ms: u64, cause: Option<&str>) {
        let tenant = self.tenant.as_ref().map(TenantId::as_str);
        let (route, method) = (
            self.route.unwrap_or("-"),
            method(&event.request_context.http.method),
        );
        let request_id = event.request_context.request_id.as_deref();
        match cause {
            None => tracing::info!(
                tenant,
                route,
                status,
                duration_ms,
                request_id,
                "{method} {route} {status}"
            ),
            Some(cause) => {
                tracing::error!(
                    tenant,
                    route,
                    status,
                    duration_ms,
                    request_id,
                    cause,
                    "{method} {route} {status}"
                );
            }
        }
    }
}

/// Only what a method looks like gets into the log.
fn method(method: &str) -> &str {
    let usual = method.len() <= 7 && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if usual { method } else { "-" }
}
