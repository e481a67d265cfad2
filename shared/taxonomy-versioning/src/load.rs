//! The load that a tenant needs next. Pure.
//!
//! A *load* brings the items from the projected version to its *target*, the head when the load began. Commits and loads never wait for each other:
//! a version that is committed meanwhile is the next load's. A process that takes a load over keeps its target, because the load before it may have
//! written any part of it.
//!
//! A heartbeat keeps two processes from doing the same load. It is a hint and never a lock: every write is conditional on versions, so two
//! loads at once cost requests and change nothing.

pub(crate) mod full_rewrite;
pub(crate) mod heartbeat;
pub(crate) mod progress;
pub(crate) mod project;
pub(crate) mod unknown;

use taxonomy_store::{Committed, LoadCursor, LoadState};

/// The age at which a heartbeat is no longer fresh, in milliseconds: three intervals. One renewal may fail (up to 10 s with the SDK's retries), and
/// reading the largest snapshot keeps the process from renewing it for some seconds.
pub(crate) const VALID_MS: u64 = 90_000;

/// The time after the last heartbeat in which a write of the load may still be under way, in milliseconds: longer than an invocation (900 s), with a
/// minute for clocks that differ.
const UNDER_WAY_MS: u64 = 960_000;

/// The load that a tenant needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Load {
    /// Begin it, or take it over: its cursor, to be stored before the first write.
    Claim(LoadCursor),
    /// Another process is loading the tenant.
    Theirs,
    /// The load of the cursor cannot succeed. It is given up once none of its writes can be under way.
    Waits,
    /// Give up the load of the cursor.
    GiveUp,
}

impl Load {
    /// Returns the next load of a tenant that is behind, as process `me` with this projection format sees it at `now`.
    pub(crate) fn next(head: &Committed, format: u64, me: &str, now: u64) -> Self {
        let fresh = LoadCursor {
            to: head.version,
            changeset: head.changeset.clone(),
            from: head.projected,
            format,
            full: head
                .full
                .is_some_and(|full| Some(full) > head.projected && full <= head.version),
            done: 0,
            at: now,
            by: me.to_owned(),
            state: LoadState::Running,
        };
        let Some(cursor) = head.load() else {
            return Self::Claim(fresh);
        };
        let is_possible = cursor.format == format && cursor.state != LoadState::Impossible;
        if !is_possible && head.version > cursor.to {
            // A heartbeat from the future is as little evidence as an old one.
            return match now.abs_diff(cursor.at) >= UNDER_WAY_MS {
                true => Self::GiveUp,
                false => Self::Waits,
            };
        }
        if cursor.by != me && is_fresh(cursor, now) {
            return Self::Theirs;
        }
        // Where another process moved the projection under the load, or another build began it, the writes differ from those that were counted.
        let done = match cursor.from == head.projected && cursor.format == format {
            true => cursor.done,
            false => 0,
        };
        Self::Claim(LoadCursor {
            to: cursor.to,
            changeset: cursor.changeset.clone(),
            full: cursor.full,
            done,
            ..fresh
        })
    }
}

/// Whether the heartbeat is fresh at `now`. A heartbeat from the future is as little evidence as an old one.
pub(crate) fn is_fresh(cursor: &LoadCursor, now: u64) -> bool {
    cursor.state == LoadState::Running && now.abs_diff(cursor.at) < VALID_MS
}

/// Returns the milliseconds until the heartbeat of another process is stale; `None` if no other process is loading the tenant.
#[cfg(feature = "purge")]
pub(crate) fn others_load(head: &Committed, me: &str, now: u64) -> Option<u64> {
    let cursor = head.load()?;
    let is_theirs = cursor.by != me && is_fresh(cursor, now);
    is_theirs.then(|| cursor.at.saturating_add(VALID_MS).saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use taxonomy_keys::Version;
    use taxonomy_model::{Hash, Provenance, Settings};
    use taxonomy_store::SourceStamp;

    use super::*;

    const BEAT: u64 = 1_000_000;

    fn version(number: u64) -> Version {
        Version::new(number).unwrap_or(Version::FIRST)
    }

    /// Version 2 of a tenant whose version 1 is projected, with a cursor of process `a`.
    fn head(cursor: Option<LoadCursor>) -> Committed {
        Committed {
            version: version(2),
            changeset: Hash::digest(b"second"),
            state: Hash::digest(b"state"),
            snapshot_key: String::new(),
            index_key: String::new(),
            committed_at: BEAT,
            format: 1,
            settings: Settings {
                default_culture: "en-GB".parse().unwrap_or_else(|_| unreachable!()),
                fallback_chain: Vec::new(),
            },
            cultures: Vec::new(),
            categories: 0,
            terms: 0,
            provenance: Provenance::default(),
            full: None,
            source: SourceStamp {
                etag: String::new(),
                version_id: String::new(),
                sha256: Hash::digest(b""),
                size: 0,
                culture: None,
            },
            detached: false,
            projected: Some(Version::FIRST),
            projected_at: 0,
            cursor,
        }
    }

    fn cursor() -> LoadCursor {
        LoadCursor {
            to: version(2),
            changeset: Hash::digest(b"second"),
            from: Some(Version::FIRST),
            format: 1,
            full: false,
            done: 7,
            at: BEAT,
            by: "a".to_owned(),
            state: LoadState::Running,
        }
    }

    fn changed(change: impl FnOnce(&mut LoadCursor)) -> LoadCursor {
        let mut cursor = cursor();
        change(&mut cursor);
        cursor
    }

    /// The cursor where `b` took it over.
    fn taken(at: u64) -> Load {
        Load::Claim(changed(|cursor| (cursor.at, cursor.by) = (at, "b".to_owned())))
    }

    /// The head of version 3 beside a cursor toward version 2.
    fn moved(cursor: LoadCursor) -> Committed {
        let mut moved = head(Some(cursor));
        (moved.version, moved.changeset) = (version(3), Hash::digest(b"third"));
        moved
    }

    /// The next load of process `b`.
    fn next(head: &Committed, now: u64) -> Load {
        Load::next(head, 1, "b", now)
    }

    #[test]
    fn a_load_begins_at_its_first_write_toward_the_head() {
        let begun = changed(|cursor| (cursor.done, cursor.by) = (0, "b".to_owned()));
        assert_eq!(next(&head(None), BEAT), Load::Claim(begun.clone()));
        let void = changed(|cursor| cursor.to = Version::FIRST);
        assert_eq!(next(&head(Some(void)), BEAT), Load::Claim(begun));
    }

    #[test]
    fn a_fresh_heartbeat_of_another_process_is_left_alone() {
        let head = head(Some(cursor()));
        assert_eq!(next(&head, BEAT + VALID_MS - 1), Load::Theirs);
        assert_eq!(next(&head, BEAT + VALID_MS), taken(BEAT + VALID_MS));
        assert_eq!(next(&head, BEAT - VALID_MS), taken(BEAT - VALID_MS), "the future");
        let mine = Load::next(&head, 1, "a", BEAT + 1);
        assert!(matches!(mine, Load::Claim(cursor) if cursor.done == 7));
        for state in [LoadState::OutOfTime, LoadState::Failed, LoadState::Impossible] {
            let ended = changed(|cursor| cursor.state = state);
            assert_eq!(next(&self::head(Some(ended)), BEAT), taken(BEAT), "{state:?}");
        }
    }

    #[test]
    fn who_takes_a_load_over_keeps_its_target() {
        let mut moved = moved(cursor());
        moved.full = Some(version(3));
        assert_eq!(next(&moved, BEAT + VALID_MS), taken(BEAT + VALID_MS));
    }

    #[test]
    fn a_load_begins_anew_where_the_projection_moved_under_it() {
        let from_nothing = changed(|cursor| cursor.from = None);
        let Load::Claim(taken) = next(&head(Some(from_nothing)), BEAT + VALID_MS) else {
            panic!("it is taken over");
        };
        assert_eq!((taken.done, taken.from), (0, Some(Version::FIRST)));
    }

    #[test]
    fn a_load_is_full_where_a_version_between_projection_and_target_asks_for_it() {
        let full = |full, projected, at| {
            let mut head = head(None);
            head.version = version(at);
            (head.projected, head.full) = (Version::new(projected), Version::new(full));
            matches!(next(&head, BEAT), Load::Claim(cursor) if cursor.full)
        };
        assert!(full(2, 1, 2) && full(2, 1, 3) && full(1, 0, 3));
        assert!(!full(0, 0, 2) && !full(1, 1, 2) && !full(1, 2, 3));
    }

    #[test]
    fn a_load_that_cannot_succeed_is_given_up_once_there_is_another_version_and_no_write_under_way() {
        let stuck = changed(|cursor| cursor.state = LoadState::Impossible);
        let of_another_build = changed(|cursor| cursor.format = 0);
        for cursor in [stuck, of_another_build] {
            let kept = if cursor.format == 1 { 7 } else { 0 };
            let taken = next(&head(Some(cursor.clone())), BEAT + UNDER_WAY_MS);
            assert!(matches!(taken, Load::Claim(cursor) if cursor.done == kept));
            let followed = moved(cursor);
            assert_eq!(next(&followed, BEAT + UNDER_WAY_MS - 1), Load::Waits);
            assert_eq!(next(&followed, BEAT + UNDER_WAY_MS), Load::GiveUp);
            assert_eq!(next(&followed, BEAT - UNDER_WAY_MS), Load::GiveUp, "the future");
        }
        assert!(matches!(
            next(&moved(cursor()), BEAT + UNDER_WAY_MS),
            Load::Claim(_)
        ));
    }
}
