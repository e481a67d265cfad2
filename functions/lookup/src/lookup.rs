//! A request from beginning to end, and its line in the log.

use std::fmt;
use std::sync::Arc;

use taxonomy_keys::TenantId;
use taxonomy_runtime::Clock;
use taxonomy_store::Table;

use crate::authorise::{Auth, authorise};
use crate::event::{Answer, Event};
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::reply::{self, Reply};
use crate::routes::{self, Endpoint};
use crate::world::World;
use crate::{categories, openapi, stats, tenants, terms};

/// The function: events in, answers out.
pub struct Lookup {
    auth: Auth,
    world: World,
    clock: Arc<dyn Clock>,
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
    /// Answers from `table`.
    #[must_use]
    pub fn new(auth: Auth, table: Table, clock: Arc<dyn Clock>) -> Self {
        Self {
            auth,
            world: World::new(table, clock.clone()),
            clock,
        }
    }

    /// Does before the first request what it would otherwise wait for.
    pub async fn warm_up(&self) {
        Box::pin(self.world.reader.warm_up()).await;
    }

    /// Answers a request, whatever it is. What goes wrong inside is logged here, once, and told to nobody else.
    ///
    /// Delivery: the gateway waits for the answer and repeats nothing. Asking again is the caller's business, and safe, since
    /// nothing is written here.
    pub async fn answer(&self, event: &Event) -> Answer {
        let started = self.clock.now_ms();
        let mut line = Line::default();
        // Boxed, because with the SDK's futures inside the compiler gives up on the depth of the whole.
        let outcome = Box::pin(self.handle(event, &mut line)).await;
        let cause = outcome.as_ref().err().and_then(Problem::cause);
        let answer = match outcome {
            Ok(reply) => reply::found(reply),
            Err(problem) => reply::refused(&problem, &self.auth),
        };
        let duration_ms = self.clock.now_ms().saturating_sub(started);
        line.log(event, answer.status_code, duration_ms, cause.as_deref());
        answer
    }

    async fn handle(&self, event: &Event, line: &mut Line) -> Result<Reply, Problem> {
        let context = &event.request_context;
        let matched = routes::find(&context.http.method, &event.raw_path)?;
        line.route = Some(matched.route.path);
        match matched.route.endpoint {
            Endpoint::OpenApi => return openapi::description(),
            Endpoint::Health => return openapi::health(),
            _ => {}
        }
        let tenant = authorise(&self.auth, context, matched.route, matched.tenant)?;
        line.tenant = Some(tenant.id().clone());
        let query = Parameters::parse(&event.raw_query_string)?;
        match matched.route.endpoint {
            Endpoint::Tenant => tenants::tenant(&self.world, &tenant).await,
            Endpoint::Term => terms::term(&self.world, &tenant, matched.id, &query).await,
            Endpoint::Terms => terms::terms(&self.world, &tenant, &query).await,
            Endpoint::BatchGet => terms::batch_get(&self.world, &tenant, &query, &event.body()?).await,
            Endpoint::Categories => categories::categories(&self.world, &tenant, &query).await,
            Endpoint::Category => categories::category(&self.world, &tenant, matched.id, &query).await,
            Endpoint::TenantStats => stats::tenant(&self.world, &tenant).await,
            Endpoint::CategoryStats => stats::category(&self.world, &tenant, matched.id).await,
            Endpoint::OpenApi => openapi::description(),
            Endpoint::Health => openapi::health(),
        }
    }
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
