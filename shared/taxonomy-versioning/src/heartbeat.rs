//! The heartbeat of a load. A *load* writes the items from the projected version to the head's version. While it runs, its process renews the
//! head's cursor (`Cursor.At`), so that other processes leave the load to it instead of writing the same items.
//!
//! A heartbeat is a hint and never a lock: every write is conditional on versions, so two loads at once cost requests and change nothing.
//!
//! **Progress.** The commit of a large version contains the first heartbeat. A process that takes a load over writes one first, and of several
//! processes one succeeds. A long load renews it. A process that finds a *fresh* heartbeat of another process defers: it sends a message that
//! is delivered after the heartbeat's end, and commits nothing. So no version is committed while the load of the previous one runs, and the
//! load ends, or its process dies. Then the heartbeat is not renewed, and the message, the next event or the next sweep continues the load. The
//! newest upload is ingested as soon as the load has ended, since its process reads the source once more; at the latest, after the
//! load and [`VALID_MS`].

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use taxonomy_keys::TenantId;
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Cursor, Head, LoadState};
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use crate::error::{VersioningError, causes};
use crate::service::Service;

/// The interval of heartbeats. The process measures it by its monotonic clock; other processes compare `Cursor.At` alone.
const INTERVAL: Duration = Duration::from_secs(30);

/// A heartbeat is fresh for three intervals: one renewal may fail (up to 10 s with the SDK's retries), and reading the largest snapshot
/// keeps the process from renewing it for some seconds.
pub(crate) const VALID_MS: u64 = 3 * 1000 * INTERVAL.as_secs();

/// The interval in which a running load reads the head: an overtaken load writes for at most this time and the requests in flight.
const LOOK: Duration = Duration::from_secs(5);

/// The delay of a deferral's message after the heartbeat's end, so that the heartbeat is stale by any clock.
const GRACE_MS: u64 = 5_000;

/// A message that is due earlier than this may have been received already, by another clock.
const SKEW_MS: u64 = 30_000;

/// The decision to leave a tenant to the process that loads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferral {
    pub(crate) version: taxonomy_keys::Version,
    /// The time at which the tenant must be reconciled again, in epoch milliseconds.
    pub(crate) at: u64,
    /// The time until then, in whole seconds.
    pub delay: Duration,
    /// Whether a message that becomes visible then was sent already, so that no other is needed.
    pub is_covered: bool,
}

/// Whether the heartbeat is fresh at `now`. A heartbeat from the future is as little evidence as an old one.
pub(crate) fn is_fresh(cursor: &Cursor, now: u64) -> bool {
    cursor.state == LoadState::Running && now.abs_diff(cursor.at) < VALID_MS
}

/// The process that loads a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// No process with a fresh heartbeat.
    Idle,
    /// This process.
    Mine,
    /// Another process.
    Theirs(Deferral),
}

/// Returns the process that loads the head, as process `me` sees it at `now`.
pub(crate) fn loading(head: &Committed, format: u64, me: &str, now: impl FnOnce() -> u64) -> Loading {
    let running = |cursor: &&Cursor| cursor.state == LoadState::Running && !head.is_settled();
    let Some(cursor) = head.resumes(format).filter(running) else {
        return Loading::Idle;
    };
    let now = now();
    if !is_fresh(cursor, now) {
        return Loading::Idle;
    }
    if cursor.by == me {
        return Loading::Mine;
    }
    let due = cursor.at + VALID_MS + GRACE_MS;
    let delay = due.saturating_sub(now).div_ceil(1000);
    Loading::Theirs(Deferral {
        version: head.version,
        at: now + delay * 1000,
        delay: Duration::from_secs(delay),
        is_covered: head.follow_up_at >= due.max(now + SKEW_MS),
    })
}

/// Whether a load begins with a heartbeat: where other processes may begin the same load, or where it is known to be large. Any other load is
/// young and small, and ends before it needs one.
fn begins_with_heartbeat(head: &Committed, format: u64, me: &str, now: u64) -> bool {
    let mine = head
        .resumes(format)
        .is_some_and(|cursor| cursor.by == me && is_fresh(cursor, now));
    !mine
        && (head.cursor.is_some()
            || head.full
            || !follows(head)
            || now.abs_diff(head.committed_at) >= VALID_MS)
}

/// Whether the head is the version after the projected one.
fn follows(head: &Committed) -> bool {
    head.projected.map_or(1, |projected| projected.next().get()) == head.version.get()
}

/// State that a load and its heartbeat share.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// The number of leading writes that are complete.
    pub(crate) done: Cell<u64>,
    /// Whether the head moved, or another process is further with the same load.
    pub(crate) overtaken: Cell<bool>,
    /// Whether the load stops: it begins no further write.
    pub(crate) stopping: Cell<bool>,
}

/// The heartbeat of one load.
pub(crate) struct Heartbeat<'a, C> {
    service: &'a Service<C>,
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    pub(crate) signs: &'a Signs,
    /// Whether other processes may have seen a heartbeat of this load.
    is_seen: Cell<bool>,
}

impl<'a, C: Clock> Heartbeat<'a, C> {
    /// Builds the heartbeat of the load of `head`.
    pub(crate) fn new(
        service: &'a Service<C>,
        tenant: &'a TenantId,
        head: &'a Committed,
        signs: &'a Signs,
    ) -> Self {
        let mine = head
            .cursor
            .as_ref()
            .is_some_and(|cursor| cursor.by == service.process);
        Self {
            service,
            tenant,
            head,
            signs,
            is_seen: Cell::new(mine),
        }
    }

    /// Writes the first heartbeat where the load needs one. Returns false if another process was first.
    pub(crate) async fn begin(&self, now: u64) -> bool {
        let Service { heads, process, .. } = self.service;
        if !begins_with_heartbeat(self.head, self.service.format(), process, now) {
            return true;
        }
        self.is_seen.set(true);
        let cursor = self.cursor(LoadState::Running, now);
        match heads.claim(self.tenant, self.head, &cursor).await {
            Ok(claimed) => claimed,
            Err(error) => {
                warn!(tenant = %self.tenant, error = causes(&error), "no heartbeat was written; the load begins without");
                true
            }
        }
    }

    /// Runs the load and reads the head meanwhile. No request of the heartbeat is in flight when this returns.
    pub(crate) async fn during<T>(&self, load: impl Future<Output = T>) -> T {
        let mut load = Box::pin(load);
        let mut beat_at = Instant::now();
        loop {
            let pause = pin!(sleep(LOOK));
            if let Either::Left((outcome, _)) = select(&mut load, pause).await {
                return outcome;
            }
            let mut look = Box::pin(self.look(&mut beat_at));
            if let Either::Left((outcome, _)) = select(&mut load, &mut look).await {
                look.await;
                return outcome;
            }
        }
    }

    /// Renews the heartbeat when it is time, else reads the head. Detects that the load was overtaken.
    async fn look(&self, beat_at: &mut Instant) {
        if self.signs.overtaken.get() || self.signs.stopping.get() {
            return;
        }
        if beat_at.elapsed() + LOOK > INTERVAL {
            *beat_at = Instant::now();
            self.is_seen.set(true);
            let cursor = self.cursor(LoadState::Running, self.service.clock.now_ms());
            let beat = self.service.heads.save_cursor(self.tenant, self.head, &cursor);
            match beat.await {
                Ok(true) => return,
                // A conflict with another request looks the same, so the head decides.
                Ok(false) => {}
                Err(error) => {
                    warn!(tenant = %self.tenant, error = causes(&error), "the heartbeat was not renewed");
                }
            }
        }
        match self.service.heads.read(self.tenant).await {
            Ok((head, configuration)) if configuration.purge.is_none() && !self.is_overtaken(&head) => {}
            Ok(_) => {
                info!(tenant = %self.tenant, version = self.head.version.get(), "overtaken");
                self.signs.overtaken.set(true);
            }
            Err(error) => warn!(tenant = %self.tenant, error = causes(&error), "the head was not read"),
        }
    }

    fn is_overtaken(&self, now: &Head) -> bool {
        let Some(now) = &now.committed else { return true };
        let same = |head: &Committed| (head.version, head.changeset.clone(), head.projected);
        let further =
            |cursor: &Cursor| cursor.by != self.service.process && cursor.done > self.signs.done.get();
        same(now) != same(self.head) || now.resumes(self.service.format()).is_some_and(further)
    }

    /// Saves the progress of a load that stopped, if it came `further` or if its heartbeat is still fresh. Returns false if another process is
    /// further, or the head moved. A cursor that cannot be saved costs only time.
    pub(crate) async fn end(&self, state: LoadState, further: bool) -> bool {
        if !further && !self.is_seen.get() {
            return true;
        }
        let cursor = self.cursor(state, self.service.clock.now_ms());
        match self
            .service
            .heads
            .save_cursor(self.tenant, self.head, &cursor)
            .await
        {
            Ok(noted) => noted,
            Err(error) => {
                warn!(tenant = %self.tenant, error = causes(&error), "the cursor was not noted");
                true
            }
        }
    }

    fn cursor(&self, state: LoadState, at: u64) -> Cursor {
        Cursor {
            changeset: self.head.changeset.clone(),
            from: self.head.projected,
            format: self.service.format(),
            done: self.signs.done.get(),
            at,
            by: self.service.process.clone(),
            state,
        }
    }
}

impl<C: Clock> Service<C> {
    /// Records that the message of a deferral was sent. A record that cannot be written costs only a second message.
    pub async fn deferred(&self, tenant: &TenantId, deferral: &Deferral) {
        let noted = self
            .heads
            .note_follow_up(tenant, deferral.version, deferral.at)
            .await;
        if let Err(error) = noted.map_err(VersioningError::from) {
            warn!(%tenant, error = causes(&error), "the message of a deferral was not noted");
        }
    }

    /// Returns the projection format of this build.
    pub(crate) fn format(&self) -> u64 {
        u64::from(self.config.projection_format)
    }

    /// Refuses a tenant of a newer projection format, also for an operator: an older build would overwrite newer items with older ones.
    pub(crate) fn check_format(&self, head: Option<&Committed>) -> Result<(), VersioningError> {
        match head.filter(|head| head.format > self.format()) {
            Some(newer) => Err(VersioningError::NewerFormat(newer.format)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use taxonomy_keys::Version;
    use taxonomy_model::{Hash, Settings};
    use taxonomy_store::SourceStamp;

    use super::*;

    const BEAT: u64 = 1_000_000;

    /// Version 2, half loaded by process `a`, with a heartbeat at [`BEAT`].
    fn head() -> Committed {
        Committed {
            version: Version::FIRST.next(),
            changeset: Hash::of(b"second"),
            state: Hash::of(b"state"),
            snapshot_key: String::new(),
            index_key: String::new(),
            committed_at: BEAT,
            format: 1,
            settings: Settings {
                default_culture: "en-GB".parse().unwrap(),
                fallback_chain: Vec::new(),
            },
            cultures: Vec::new(),
            categories: 0,
            terms: 0,
            provenance: taxonomy_model::Provenance::default(),
            full: false,
            source: SourceStamp {
                etag: String::new(),
                version_id: String::new(),
                sha256: Hash::of(b""),
                size: 0,
                culture: None,
            },
            detached: false,
            projected: Some(Version::FIRST),
            projected_at: 0,
            cursor: Some(Cursor {
                changeset: Hash::of(b"second"),
                from: Some(Version::FIRST),
                format: 1,
                done: 7,
                at: BEAT,
                by: "a".to_owned(),
                state: LoadState::Running,
            }),
            follow_up_at: 0,
        }
    }

    fn as_seen(head: &Committed, me: &str, now: u64) -> Loading {
        loading(head, 1, me, || now)
    }

    #[test]
    fn a_heartbeat_holds_for_three_intervals_and_no_longer() {
        for (now, is_held) in [
            (BEAT, true),
            (BEAT + VALID_MS - 1, true),
            (BEAT + VALID_MS, false),
            // By a clock that is behind, and by one that is wrong.
            (BEAT - VALID_MS + 1, true),
            (BEAT - VALID_MS, false),
        ] {
            let loading = as_seen(&head(), "b", now);
            assert_eq!(matches!(loading, Loading::Theirs(_)), is_held, "{now}");
        }
    }

    #[test]
    fn a_process_knows_its_own_heartbeat() {
        assert_eq!(as_seen(&head(), "a", BEAT), Loading::Mine);
        assert_eq!(as_seen(&head(), "a", BEAT + VALID_MS), Loading::Idle);
    }

    #[test]
    fn a_load_that_has_ended_has_no_heartbeat() {
        for state in [LoadState::OutOfTime, LoadState::Failed] {
            let mut head = head();
            head.cursor = head.cursor.map(|cursor| Cursor { state, ..cursor });
            assert_eq!(as_seen(&head, "b", BEAT), Loading::Idle);
        }
        let settled = Committed {
            projected: Some(Version::FIRST.next()),
            ..head()
        };
        assert_eq!(as_seen(&settled, "b", BEAT), Loading::Idle);
    }

    #[test]
    fn a_deferral_outlives_the_heartbeat() {
        for now in [BEAT - 2_500, BEAT, BEAT + 1, BEAT + VALID_MS - 1] {
            let Loading::Theirs(deferral) = as_seen(&head(), "b", now) else {
                panic!("not deferred at {now}")
            };
            assert_eq!(deferral.at, now + deferral.delay.as_secs() * 1000);
            assert!((BEAT + VALID_MS + GRACE_MS..BEAT + VALID_MS + GRACE_MS + 1000).contains(&deferral.at));
            assert!(!deferral.is_covered);
        }
    }

    #[test]
    fn a_message_covers_only_who_defers_long_before_it_is_due() {
        let covered = |follow_up_at, now| {
            let head = Committed {
                follow_up_at,
                ..head()
            };
            match as_seen(&head, "b", now) {
                Loading::Theirs(deferral) => deferral.is_covered,
                other => panic!("{other:?}"),
            }
        };
        let due = BEAT + VALID_MS + GRACE_MS;
        assert!(covered(due, BEAT));
        assert!(!covered(due - 1, BEAT), "it does not outlive the heartbeat");
        assert!(covered(due, due - SKEW_MS));
        assert!(!covered(due, due - SKEW_MS + 1), "a process may have it already");
    }

    #[test]
    fn a_load_begins_with_a_heartbeat_where_others_may_begin_it_too() {
        let begins = |head: &Committed, now| begins_with_heartbeat(head, 1, "b", now);
        let young = Committed {
            cursor: None,
            ..head()
        };
        assert!(!begins(&young, BEAT), "small and young");
        assert!(begins(&young, BEAT + VALID_MS), "left behind");
        assert!(begins(&head(), BEAT), "begun before");
        assert!(begins(
            &Committed {
                full: true,
                ..young.clone()
            },
            BEAT
        ));
        let several = Committed {
            projected: None,
            ..young
        };
        assert!(begins(&several, BEAT), "several versions");
        assert!(!begins_with_heartbeat(&head(), 1, "a", BEAT), "it has one");
    }
}
