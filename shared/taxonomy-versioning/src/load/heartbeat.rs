//! The heartbeat of a load: while it runs, its process renews the head's cursor (`Cursor.At`), so that other processes leave the load to it.
//!
//! A process that finds a *fresh* heartbeat of another process has nothing to do: the loading process reads the head after the end of its load, and
//! finds every version that was committed meanwhile. If it dies, the heartbeat is not renewed, and the next event or the next sweep takes the load
//! over.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use taxonomy_keys::TenantId;
use taxonomy_runtime::causes;
use taxonomy_store::{LoadCursor, LoadState};
use tokio::time::sleep;
use tracing::{info, warn};

use crate::error::VersioningError;
use crate::load::VALID_MS;
use crate::service::Service;

/// The interval of heartbeats. The process measures it by its monotonic clock; other processes compare `Cursor.At` alone.
const INTERVAL: Duration = Duration::from_millis(VALID_MS / 3);

/// State that a load and its heartbeat share.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// The number of leading writes that are complete.
    pub(crate) done: Cell<u64>,
    /// Whether the stored cursor is no longer the one of this load.
    pub(crate) lost: Cell<bool>,
    /// Whether the load stops: it begins no further write.
    pub(crate) stopping: Cell<bool>,
}

/// The heartbeat of one load, whose cursor is stored.
pub(crate) struct Heartbeat<'a> {
    pub(crate) service: &'a Service,
    pub(crate) tenant: &'a TenantId,
    pub(crate) cursor: &'a LoadCursor,
    pub(crate) signs: &'a Signs,
}

impl Heartbeat<'_> {
    /// Runs the load and renews the cursor meanwhile. No request of the heartbeat is in flight when this returns.
    pub(crate) async fn during<T>(&self, load: impl Future<Output = T>) -> T {
        let mut load = Box::pin(load);
        loop {
            let pause = pin!(sleep(INTERVAL));
            if let Either::Left((outcome, _)) = select(&mut load, pause).await {
                return outcome;
            }
            let mut beat = Box::pin(self.beat());
            // The heartbeat first: what it learns stops the load before the next write.
            if let Either::Right((outcome, _)) = select(&mut beat, &mut load).await {
                beat.await;
                return outcome;
            }
        }
    }

    /// Renews the cursor. Where it is lost, the load stops, and the next round finds the reason.
    async fn beat(&self) {
        if !self.signs.stopping.get() && !self.renew(LoadState::Running).await {
            info!(tenant = %self.tenant, version = self.cursor.to.get(), "the cursor is another process's");
            self.signs.lost.set(true);
        }
    }

    /// Stores progress and state. Returns false if the stored cursor is no longer the one of this load. A cursor that cannot be stored costs only time.
    pub(crate) async fn renew(&self, state: LoadState) -> bool {
        let cursor = LoadCursor {
            done: self.signs.done.get(),
            at: self.service.clock.now_ms(),
            state,
            ..self.cursor.clone()
        };
        match self.service.heads.renew(self.tenant, &cursor).await {
            Ok(renewed) => renewed,
            Err(error) => {
                let error = VersioningError::from(error);
                warn!(tenant = %self.tenant, error = causes(&error), "the cursor was not renewed");
                true
            }
        }
    }
}
