//! The order of writes while the default culture changes.
//!
//! The name of a term in the default culture is in its own item, the names in other cultures are in items beside it. When the default culture
//! changes, two names change places: the former default's name moves into an item of its own, the new default's name out of one. Every name
//! must be stored in at least one place at every moment, or a lookup could not find it. So the items of cultures are written first, then all
//! others, and removed last. A phase begins when the previous one is complete. Within a phase, writes run concurrently in no order.

use taxonomy_keys::ItemKey;
use taxonomy_model::writes::Write;
use taxonomy_runtime::Clock;
use taxonomy_store::{Committed, Stopped};

use crate::progress::ProjectionProgress;
use crate::service::Service;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Names that move out of their terms' own items, and all others in further cultures.
    CulturesPut,
    /// Own items, and all other items of a term.
    Rest,
    /// Names that have moved into their terms' own items, and removed ones.
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

impl<C: Clock> Service<C> {
    /// Makes the writes of one stretch: concurrently, and in phases where the default culture changes. `writes` returns the same writes in the same
    /// order at each call.
    pub(crate) async fn write_stretch<W: Iterator<Item = Write>>(
        &self,
        progress: &mut ProjectionProgress<'_>,
        head: &Committed,
        writes: impl Fn() -> W,
    ) -> Option<Stopped> {
        if !head.changes_default() {
            return self.write(progress, writes()).await;
        }
        for phase in Phase::ALL {
            let of_phase = writes().filter(|write| Phase::of(write) == phase);
            if let Some(stopped) = self.write(progress, of_phase).await {
                return Some(stopped);
            }
        }
        None
    }
}
