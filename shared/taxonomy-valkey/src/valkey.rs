//! The second tier as the caches see it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{Pipeline, Value};
use taxonomy_keys::{TenantId, Version};
use taxonomy_runtime::{Clock, ConfigError, causes};
use tokio::time::timeout;
use tracing::warn;

use crate::answer::{ReadResult, parse_version, read, refusal};
use crate::circuit_breaker::CircuitBreaker;
use crate::config::ValkeyConfig;
use crate::connection::{Endpoint, Opening};
use crate::error::ValkeyError;
use crate::keys::{EntriesOf, version_key};
use crate::tls::Tls;

/// The most time that the start of a function waits for a connection. Within the 20 ms of a request, a handshake on a small function's share of
/// a processor would take several requests.
const START_PATIENCE: Duration = Duration::from_secs(1);
/// The age at which an attempt to connect is given up and begun anew.
const OPENING_MS: u64 = 10_000;

/// The failures of a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TierErrors {
    /// Requests that failed: no response, none in time, or an unexpected one.
    pub failed: u64,
    /// Requests that were not sent, because the circuit breaker was open.
    pub skipped: u64,
}

/// A client of a Valkey or Redis server. Every request is tried once, within the configured time, and once more where the connection turns out
/// to be closed. After three consecutive failures the circuit breaker sends none for five seconds, then one as a probe.
pub struct Valkey {
    endpoint: Arc<Endpoint>,
    ttl: Duration,
    timeout: Duration,
    clock: Arc<dyn Clock>,
    breaker: CircuitBreaker,
    /// The one connection, open or being opened, with the time at which its opening began.
    connection: Mutex<Option<(u64, Opening)>>,
    failed: AtomicU64,
    skipped: AtomicU64,
}

/// Whether a refusal means that the server is of no use. A full server refuses writes and still answers reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    Read,
    Write,
}

impl Valkey {
    /// Builds a client of the configured server, without connecting.
    ///
    /// # Errors
    /// [`ConfigError`] if the address is invalid or a trusted certificate cannot be read.
    pub fn new(config: &ValkeyConfig, clock: Arc<dyn Clock>) -> Result<Self, ConfigError> {
        let address = config.address()?;
        let tls = if address.encrypted {
            Some(Tls::new(&address.host, config.additional_roots.as_deref())?)
        } else {
            None
        };
        let endpoint = Endpoint {
            address,
            tls,
            password: config.password.clone(),
        };
        Ok(Self {
            endpoint: Arc::new(endpoint),
            ttl: config.ttl,
            timeout: config.timeout,
            clock,
            breaker: CircuitBreaker::new(),
            connection: Mutex::default(),
            failed: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
        })
    }

    /// Connects while the function starts, for at most a second. If that fails, the function starts all the same, and the first request tries
    /// again.
    pub async fn connect(&self) {
        let error = match timeout(START_PATIENCE, self.opening()).await {
            Ok(Ok(_)) => return,
            Ok(Err(error)) => error,
            Err(_) => ValkeyError::TimedOut,
        };
        self.failed.fetch_add(1, Ordering::Relaxed);
        warn!(
            error = causes(&error),
            "no connection to the second cache tier at start"
        );
    }

    /// Reads the newest known version of the tenant and the entries, by one request. Every failure is a miss.
    pub async fn get(&self, tenant: &TenantId, of: &EntriesOf<'_>, entries: &[String]) -> ReadResult {
        let mut command = Pipeline::with_capacity(1);
        command.cmd("MGET").arg(version_key(tenant));
        for entry in entries {
            command.arg(of.key(tenant, entry));
        }
        let Ok(answers) = self.ask(&command, RequestKind::Read).await else {
            return ReadResult::nothing(entries.len());
        };
        read(answers, entries.len()).unwrap_or_else(|| {
            self.failed.fetch_add(1, Ordering::Relaxed);
            ReadResult::nothing(entries.len())
        })
    }

    /// Writes entries by one request, without a report of success.
    pub async fn put(&self, tenant: &TenantId, of: &EntriesOf<'_>, entries: Vec<(String, Vec<u8>)>) {
        if entries.is_empty() {
            return;
        }
        let mut commands = Pipeline::with_capacity(entries.len());
        for (entry, value) in entries {
            let key = of.key(tenant, &entry);
            commands
                .cmd("SET")
                .arg(key)
                .arg(value)
                .arg("EX")
                .arg(self.ttl.as_secs().max(1));
        }
        if let Ok(answers) = self.ask(&commands, RequestKind::Write).await
            && refusal(&answers).is_some()
        {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Raises the newest known version of the tenant to `version`, never lowers it, and returns the stored one.
    ///
    /// # Errors
    /// [`ValkeyError`] if the outcome is unknown. The call may be repeated: it has no further effect where it succeeded.
    pub async fn advance(&self, tenant: &TenantId, version: Version) -> Result<Version, ValkeyError> {
        let mut command = Pipeline::with_capacity(1);
        command
            .cmd("EVAL")
            .arg(include_str!("advance.lua"))
            .arg(1)
            .arg(version_key(tenant))
            .arg(version.get());
        let answers = self.ask(&command, RequestKind::Write).await?;
        let outcome = match (refusal(&answers), answers.first()) {
            (Some(refused), _) => Err(refused),
            (None, Some(value)) => parse_version(value).ok_or(ValkeyError::Unreadable),
            (None, None) => Err(ValkeyError::Unreadable),
        };
        if outcome.is_err() {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }

    /// Returns the failures since the last call, or since the process began.
    pub fn take_errors(&self) -> TierErrors {
        TierErrors {
            failed: self.failed.swap(0, Ordering::Relaxed),
            skipped: self.skipped.swap(0, Ordering::Relaxed),
        }
    }

    /// Sends one request, within the configured time. Counts errors; the caller interprets the responses.
    async fn ask(&self, commands: &Pipeline, kind: RequestKind) -> Result<Vec<Value>, ValkeyError> {
        let Some(admission) = self.breaker.admit(self.clock.now_ms()) else {
            self.skipped.fetch_add(1, Ordering::Relaxed);
            return Err(ValkeyError::BreakerOpen);
        };
        let outcome = self.answers(commands).await.and_then(|answers| {
            let refused = (kind == RequestKind::Read).then(|| refusal(&answers)).flatten();
            refused.map_or(Ok(answers), Err)
        });
        match &outcome {
            Ok(_) => admission.succeeded(),
            Err(error) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                if admission.failed(self.clock.now_ms()) {
                    warn!(
                        error = causes(error),
                        "the second cache tier is left alone for 5 s"
                    );
                }
            }
        }
        outcome
    }

    /// A connection on which a request failed or timed out is not used again: the state of its other requests is unknown.
    async fn answers(&self, commands: &Pipeline) -> Result<Vec<Value>, ValkeyError> {
        let mut used = None;
        let attempts = async {
            let outcome = self.attempt(commands, &mut used).await;
            match used.take_if(|_| outcome.as_ref().is_err_and(ValkeyError::is_of_closed_connection)) {
                // Mostly while Lambda had frozen the process. No request does more when it is repeated.
                Some(closed) => {
                    self.forget(&closed);
                    self.attempt(commands, &mut used).await
                }
                None => outcome,
            }
        };
        let outcome = timeout(self.timeout, attempts)
            .await
            .unwrap_or(Err(ValkeyError::TimedOut));
        // A server that is no longer primary, or still loads its data, is resolved again by its name.
        let is_wrong_server = outcome.as_ref().is_ok_and(|answers| {
            let refused = refusal(answers);
            matches!(refused, Some(ValkeyError::Refused { code }) if ["READONLY", "LOADING", "MASTERDOWN"].contains(&code.as_str()))
        });
        if let Some(used) = used.filter(|_| outcome.is_err() || is_wrong_server) {
            self.forget(&used);
        }
        outcome
    }

    /// Sends a request on the connection, and names the connection once it is open.
    async fn attempt(
        &self,
        commands: &Pipeline,
        used: &mut Option<Opening>,
    ) -> Result<Vec<Value>, ValkeyError> {
        let opening = self.opening();
        let connection = opening.clone().await?;
        *used = Some(opening);
        connection.ask(commands).await
    }

    /// Returns the connection, and begins to open one where there is none. An attempt to connect outlives its request: a handshake that takes
    /// longer than one request is completed by the next.
    fn opening(&self) -> Opening {
        let now_ms = self.clock.now_ms();
        let mut current = self.connection();
        if let Some((since_ms, opening)) = &*current
            && match opening.peek() {
                Some(outcome) => outcome.is_ok(),
                None => now_ms.abs_diff(*since_ms) < OPENING_MS,
            }
        {
            return opening.clone();
        }
        let opening = self.endpoint.open();
        *current = Some((now_ms, opening.clone()));
        opening
    }

    /// Closes a connection, unless it has a successor already.
    fn forget(&self, used: &Opening) {
        self.connection().take_if(|(_, current)| current.ptr_eq(used));
    }

    fn connection(&self) -> MutexGuard<'_, Option<(u64, Opening)>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Valkey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Valkey")
            .field("address", &self.endpoint.address)
            .finish_non_exhaustive()
    }
}
