//! The order of writes while the default culture changes.
//!
//! A term's name in the default culture lies in its own item, those in further cultures in items beside it. Where the default culture changes,
//! two names change places: the former default's name moves into an item of its own, the new one's out of it. Every name must be stored in
//! at least one of the places at every moment, or a lookup could not find it. So the items of cultures are put first, then everything else,
//! and removed last; a phase begins when the one before it is complete. Otherwise writes are under way side by side, in no such order.

use taxonomy_keys::ItemKey;
use taxonomy_model::writes::Write;
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Stopped};

use crate::course::Course;
use crate::taxonomies::Taxonomies;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Names that leave their terms' own items, and all others in further cultures.
    CulturesPut,
    /// Own items, and whatever else hangs on a term.
    Rest,
    /// Names that terms' own items have now, and those that are gone.
    CulturesRemoved,
}

impl Phase {
    const ALL: [Phase; 3] = [Phase::CulturesPut, Phase::Rest, Phase::CulturesRemoved];

    fn of(write: &Write) -> Self {
        match (&write.item().key, write) {
            (ItemKey::TermCulture { .. }, Write::Put(_)) => Self::CulturesPut,
            (ItemKey::TermCulture { .. }, Write::Remove(_)) => Self::CulturesRemoved,
            _ => Self::Rest,
        }
    }
}

impl<C: Clock> Taxonomies<C> {
    /// Makes the writes of one stretch of the course: side by side, and in phases where the default culture changes. `writes` makes the same
    /// writes in the same order each time it is called.
    pub(crate) async fn write_stretch<W: Iterator<Item = Write>>(
        &self,
        course: &mut Course<'_>,
        head: &Committed,
        writes: impl Fn() -> W,
    ) -> Option<Stopped> {
        if !head.changes_default() {
            return self.write(course, writes()).await;
        }
        for phase in Phase::ALL {
            let of_phase = writes().filter(|write| Phase::of(write) == phase);
            if let Some(stopped) = self.write(course, of_phase).await {
                return Some(stopped);
            }
        }
        None
    }
}
