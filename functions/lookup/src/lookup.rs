//! The handling of a request from beginning to end, and its log line.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_runtime::http::Response;
use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_store::usage::{self, Usage};
use tokio::time::Instant;

use crate::cache::TierErrors;
use crate::config::CacheControl;
use crate::openapi::{selection, unknown_parameter};
use crate::request::auth::Auth;
use crate::request::authorise::tenant::AuthorisedTenant;
use crate::request::authorise::{authorise, authorise_caller};
use crate::request::event::Event;
use crate::request::parameters::Parameters;
use crate::request::{Listing, Request};
use crate::response::answer::{self, Answer};
use crate::response::fields::Selection;
use crate::response::prepared::Prepared;
use crate::response::problem::Problem;
use crate::routes;
use crate::routes::route::{Answering, Handler, Matched};
use crate::snapshot::context::Context;

/// The longest time for one request, retries included. The timeout of the function is two seconds longer.
const LONGEST: Duration = Duration::from_secs(8);
/// What is left of it when the files are given up: time to answer what the table has.
const WITHOUT_FILES: Duration = Duration::from_millis(250);
/// The maximum number of attempts for one request. An attempt is repeated when another process has seen a newer version, and then reads that version; a
/// third one needs a new version during each attempt.
const BEGINNINGS: usize = 3;

/// The function: events in, responses out.
pub struct Lookup {
    auth: Auth,
    cache_control: CacheControl,
    context: Context,
    clock: Arc<dyn Clock>,
    prepared: Prepared,
    metrics: Metrics,
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("auth", &self.auth)
            .finish_non_exhaustive()
    }
}

/// The fields of the log line of a request: never its query, body or token.
#[derive(Default)]
struct LogLine {
    route: Option<&'static str>,
    tenant: Option<TenantId>,
    status: u16,
    duration_ms: u64,
    usage: Usage,
}

impl Lookup {
    /// Answers from `context`; responses with an entity tag carry `cache_control`.
    pub fn new(auth: Auth, cache_control: CacheControl, context: Context, clock: Arc<dyn Clock>) -> Self {
        Self {
            auth,
            cache_control,
            context,
            clock,
            prepared: Prepared::new(0),
            metrics: Metrics::new("lookup"),
        }
    }

    /// Keeps at most `bytes` bytes of the responses that were sent.
    #[must_use]
    pub fn with_prepared(mut self, bytes: u64) -> Self {
        self.prepared = Prepared::new(bytes);
        self
    }

    /// Sets the dimension of its metrics.
    pub(crate) fn named(self, function: &str) -> Self {
        Self {
            metrics: Metrics::new(function),
            ..self
        }
    }

    /// Opens connections before the first request, which would otherwise wait for them.
    pub async fn warm_up(&self) {
        Box::pin(self.context.warm_up()).await;
    }

    /// Answers any request. An internal failure is logged here, once, and its cause is not sent to the caller.
    ///
    /// Delivery: the gateway waits for the response and does not retry. A retry by the caller is safe, since the function writes nothing.
    pub async fn answer(&self, event: &Event) -> Response {
        let started = self.clock.now_ms();
        let mut line = LogLine::default();
        let until = Instant::now() + LONGEST;
        // Boxed: with the futures of the SDK inline the compiler exceeds its limit for the depth of types.
        let handling = Box::pin(self.handle(event, until - WITHOUT_FILES, &mut line));
        let handling = tokio::time::timeout_at(until, handling);
        let (outcome, usage) = usage::measured(handling).await;
        let outcome = outcome.unwrap_or_else(|late| Err(Problem::late(late)));
        let sent_usage = usage.filter(|_| event.headers.asks_for_usage());
        let (response, cause) = self.finish(event, outcome, sent_usage);
        line.status = response.status_code;
        line.duration_ms = self.clock.now_ms().saturating_sub(started);
        line.usage = usage.unwrap_or_default();
        line.log(event, cause.as_deref());
        self.note_trouble();
        response
    }

    /// Adds to a response what does not depend on its answer, and returns the cause of a problem for the log line.
    fn finish(
        &self,
        event: &Event,
        outcome: Result<Response, Problem>,
        usage: Option<Usage>,
    ) -> (Response, Option<String>) {
        let cause = outcome.as_ref().err().and_then(Problem::cause);
        let mut response = outcome.unwrap_or_else(|problem| answer::refused(&problem, &self.auth));
        if let Some(request_id) = event.request_context.request_id.as_deref() {
            let request_id = request_id.to_owned();
            response.headers.insert("x-request-id", request_id.into());
        }
        if let Some(usage) = usage {
            response
                .headers
                .insert("taxonomy-debug", usage.to_string().into());
        }
        match event.request_context.http.method.as_str() {
            "HEAD" => (response.without_body(), cause),
            _ => (response, cause),
        }
    }

    /// Logs the failures of the second tier. They never fail a request, so the log and the metric are their only trace.
    fn note_trouble(&self) {
        let TierErrors { failed, skipped } = self.context.take_errors();
        if failed + skipped == 0 {
            return;
        }
        self.metrics.count(Metric::CacheFailed, failed);
        self.metrics.count(Metric::CacheSkipped, skipped);
        self.metrics.emit(&*self.clock);
    }

    async fn handle(
        &self,
        event: &Event,
        files_until: Instant,
        line: &mut LogLine,
    ) -> Result<Response, Problem> {
        let context = &event.request_context;
        let matched = routes::find(&context.http.method, &event.raw_path)?;
        line.route = Some(matched.route.path);
        let (auth, parameters) = (&self.auth, &event.path_parameters);
        match matched.route.handler {
            Handler::Public(handler) => self.send(handler()?, event, None),
            Handler::OfCaller(handler) => {
                let readable = authorise_caller(auth, context, parameters, &matched)?;
                let query = query(event, &matched)?;
                let fields = fields(&query, &matched)?;
                let listing = Listing {
                    context: &self.context,
                    readable: &readable,
                    query: &query,
                };
                let answer = self.repeated(|| handler(&listing), None).await?;
                self.send(answer.with_fields(fields.as_ref())?, event, None)
            }
            Handler::OfTenant(handler) => {
                let tenant = authorise(auth, context, parameters, &matched)?;
                line.tenant = Some(tenant.id().clone());
                let query = query(event, &matched)?;
                let fields = fields(&query, &matched)?;
                let request = Request {
                    context: &self.context,
                    tenant: &tenant,
                    route: matched.route.path,
                    id: matched.id,
                    event,
                    query: &query,
                    prepared: &self.prepared,
                    files_until,
                };
                let answer = self.repeated(|| handler(&request), Some(&tenant));
                let answer = answer.await?.with_fields(fields.as_ref())?;
                self.send(answer, event, Some(&request))
            }
        }
    }

    /// Asks a handler, and once more where another process has seen a newer version, or where a file is gone: then its tenant is read again.
    async fn repeated<'a>(
        &self,
        ask: impl Fn() -> Answering<'a>,
        tenant: Option<&AuthorisedTenant>,
    ) -> Result<Answer, Problem> {
        let (mut beginnings, mut tenant) = (1..BEGINNINGS, tenant);
        loop {
            let outcome = ask().await;
            if outcome.as_ref().is_err_and(Problem::has_moved) && beginnings.next().is_some() {
                continue;
            }
            let lacks_a_file = outcome
                .as_ref()
                .map_or_else(Problem::is_of_a_file, Answer::lacks_a_file);
            match tenant.take_if(|_| lacks_a_file) {
                Some(tenant) => self.context.forget(tenant),
                None => return outcome,
            }
        }
    }

    fn send(
        &self,
        answer: Answer,
        event: &Event,
        request: Option<&Request<'_>>,
    ) -> Result<Response, Problem> {
        answer::respond(answer, &self.auth, &self.cache_control, event, request)
    }
}

/// Returns the parameters of a request, of which none is misspelt.
fn query(event: &Event, matched: &Matched<'_>) -> Result<Parameters, Problem> {
    let query = Parameters::parse(&event.raw_query_string)?;
    match query.unknown() {
        Some(name) => Err(unknown_parameter(matched.route, name)),
        None => Ok(query),
    }
}

/// Returns the fields that a request names.
fn fields(query: &Parameters, matched: &Matched<'_>) -> Result<Option<Selection>, Problem> {
    let named = query.text("fields")?;
    named.map(|text| selection(matched.route, text)).transpose()
}

impl LogLine {
    fn log(&self, event: &Event, cause: Option<&str>) {
        let usage = &self.usage;
        let tenant = self.tenant.as_ref().map(TenantId::as_str);
        let (route, method) = (
            self.route.unwrap_or("-"),
            method(&event.request_context.http.method),
        );
        let request_id = event.request_context.request_id.as_deref();
        // Every request writes it, and formatted it takes ten times the instructions. A level above `info` never calls it.
        let message = || [method, " ", route, " ", itoa::Buffer::new().format(self.status)].concat();
        match cause {
            None => tracing::info!(
                message = message(),
                tenant,
                route,
                status = self.status,
                duration_ms = self.duration_ms,
                table_requests = usage.table_requests,
                read_units = usage.read_units,
                object_requests = usage.object_requests,
                request_id
            ),
            Some(cause) => {
                tracing::error!(
                    message = message(),
                    tenant,
                    route,
                    status = self.status,
                    duration_ms = self.duration_ms,
                    table_requests = usage.table_requests,
                    read_units = usage.read_units,
                    object_requests = usage.object_requests,
                    request_id,
                    cause
                );
            }
        }
    }
}

/// Returns a method that is safe to log: at most a few letters.
fn method(method: &str) -> &str {
    let usual = method.len() <= 7 && method.bytes().all(|byte| byte.is_ascii_uppercase());
    if usual { method } else { "-" }
}
