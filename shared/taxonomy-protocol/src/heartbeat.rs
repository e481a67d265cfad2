//! The heartbeat of a load. A *load* writes the table from its projected version to the head's; while it runs, its process renews the
//! head's cursor (`Cursor.At`), so that other processes leave the load to it instead of writing the same items.
//!
//! A heartbeat is a hint and never a lock: every write is conditional on versions, so two loads at once cost requests and change nothing.
//!
//! **Progress.** A large version is committed together with its first heartbeat; a process that takes a load over writes one first,
//! and one of several succeeds; a load that lasts renews it. A process that finds a *fresh* heartbeat of another process defers: it has
//! a message delivered after the heartbeat's end, and commits nothing. So no version follows a version whose load is running, and the
//! load ends, or its process dies. Then its heartbeat is not renewed, and the message, the next event or the next sweep continues the load. The
//! newest upload is taken as soon as the load has settled, since its process looks at the source once more; at the latest, after the
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

use crate::error::{ProtocolError, causes};
use crate::taxonomies::Taxonomies;

/// Between two heartbeats. The process measures it by its monotonic clock; only `Cursor.At` is a time that other processes compare.
const INTERVAL: Duration = Duration::from_secs(30);

/// A heartbeat is fresh for three intervals: one renewal may fail (up to 10 s with the SDK's retries), and reading the largest snapshot
/// keeps the process from renewing it for some seconds.
pub(crate) const VALID_MS: u64 = 3 * 1000 * INTERVAL.as_secs();

/// Between two reads of the head by a running load: so long, and what is in flight, an overtaken load goes on writing.
const LOOK: Duration = Duration::from_secs(5);

/// A deferral's message becomes visible so long after the heartbeat's end, so that the heartbeat is stale by any clock.
const GRACE_MS: u64 = 5_000;

/// A message that is due earlier than this may be in a process's hands already, by another clock.
const SKEW_MS: u64 = 30_000;

/// A process leaves a tenant to the process that is loading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deferral {
    pub(crate) version: taxonomy_keys::Version,
    /// When the tenant has to be looked at again, in epoch milliseconds.
    pub(crate) at: u64,
    /// From now until then, in whole seconds.
    pub delay: Duration,
    /// Whether a message is known that becomes visible then, so that no other is needed.
    pub is_covered: bool,
}

/// Whether the heartbeat holds at `now`. One from the future is as little evidence as an old one.
pub(crate) fn is_fresh(cursor: &Cursor, now: u64) -> bool {
    cursor.state == LoadState::Running && now.abs_diff(cursor.at) < VALID_MS
}

/// Which process is loading a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loading {
    /// None that is known.
    Idle,
    /// This one.
    Mine,
    /// Another one.
    Theirs(Deferral),
}

/// Which process is loading the head, as process `me` sees it at `now`.
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

/// Whether a load begins with a heartbeat: where other processes may begin the same load, or where it is known to be large. Any other
/// load is young and small, and over before it needs one.
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

/// A load and its heartbeat share these.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Leading writes that are done.
    pub(crate) done: Cell<u64>,
    /// Whether the head moved, or another process came further with the same load.
    pub(crate) overtaken: Cell<bool>,
    /// Whether the load stops: it begins no further write.
    pub(crate) stopping: Cell<bool>,
}

/// The heartbeat of one load.
pub(crate) struct Heartbeat<'a, C> {
    taxonomies: &'a Taxonomies<C>,
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    pub(crate) signs: &'a Signs,
    /// Whether other processes may have seen a heartbeat of this load.
    is_seen: Cell<bool>,
}

impl<'a, C: Clock> Heartbeat<'a, C> {
    /// The heartbeat of the load of `head`.
    pub(crate) fn new(
        taxonomies: &'a Taxonomies<C>,
        tenant: &'a TenantId,
        head: &'a Committed,
        signs: &'a Signs,
    ) -> Self {
        let mine = head
            .cursor
            .as_ref()
            .is_some_and(|cursor| cursor.by == taxonomies.process);
        Self {
            taxonomies,
            tenant,
            head,
            signs,
            is_seen: Cell::new(mine),
        }
    }

    /// Writes the first heartbeat where the load needs one. Returns false when another process was faster.
    pub(crate) async fn begin(&self, now: u64) -> bool {
        let Taxonomies { heads, process, .. } = self.taxonomies;
        if !begins_with_heartbeat(self.head, self.taxonomies.format(), process, now) {
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

    /// Runs the load, and looks at the head meanwhile. A request of the heartbeat has ended before this returns.
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

    /// Renews the heartbeat when it is time, else reads the head; notices when the load is overtaken.
    async fn look(&self, beat_at: &mut Instant) {
        if self.signs.overtaken.get() || self.signs.stopping.get() {
            return;
        }
        if beat_at.elapsed() + LOOK > INTERVAL {
            *beat_at = Instant::now();
            self.is_seen.set(true);
            let cursor = self.cursor(LoadState::Running, self.taxonomies.clock.now_ms());
            let beat = self.taxonomies.heads.save_cursor(self.tenant, self.head, &cursor);
            match beat.await {
                Ok(true) => return,
                // A conflict with another request looks the same, so the head decides.
                Ok(false) => {}
                Err(error) => {
                    warn!(tenant = %self.tenant, error = causes(&error), "the heartbeat was not renewed");
                }
            }
        }
        match self.taxonomies.heads.read(self.tenant).await {
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
            |cursor: &Cursor| cursor.by != self.taxonomies.process && cursor.done > self.signs.done.get();
        same(now) != same(self.head) || now.resumes(self.taxonomies.format()).is_some_and(further)
    }

    /// Notes how far the load came that stopped, where it came `further` or where its heartbeat would still speak for it. Returns false
    /// when another process came further, or the head moved. A cursor that cannot be noted costs time and nothing else.
    pub(crate) async fn end(&self, state: LoadState, further: bool) -> bool {
        if !further && !self.is_seen.get() {
            return true;
        }
        let cursor = self.cursor(state, self.taxonomies.clock.now_ms());
        match self
            .taxonomies
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
            format: self.taxonomies.format(),
            done: self.signs.done.get(),
            at,
            by: self.taxonomies.process.clone(),
            state,
        }
    }
}

impl<C: Clock> Taxonomies<C> {
    /// Notes that the message of a deferral was sent. A note that cannot be made costs a message and nothing else.
    pub async fn deferred(&self, tenant: &TenantId, deferral: &Deferral) {
        let noted = self
            .heads
            .note_follow_up(tenant, deferral.version, deferral.at)
            .await;
        if let Err(error) = noted.map_err(ProtocolError::from) {
            warn!(%tenant, error = causes(&error), "the message of a deferral was not noted");
        }
    }

    /// The projection format of this build.
    pub(crate) fn format(&self) -> u64 {
        u64::from(self.bounds.projection_format)
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
            committed_at: BEAT,
            format: 1,
            settings: Settings {
                default_culture: "en-GB".parse().unwrap(),
                fallback_chain: Vec::new(),
            },
            cultures: Vec::new(),
            former_defaults: Vec::new(),
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
            indexed: 0,
            index_format: 0,
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
