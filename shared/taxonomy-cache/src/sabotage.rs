//! Ways to break the rules on purpose, one for each. A proof that does not notice one proves nothing. Without the feature
//! `sabotage`, which only tests switch on, it does nothing.

/// A mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// Rule 1: entries belong to the head as it is after they were read.
    HeadAfterItem,
    /// Rule 2: entries belong to the tenant, whatever its version.
    VersionOmitted,
    /// Rule 3: while a version is being written, entries belong to it already.
    UnsettledCached,
    /// Rule 4: entries are never filled by consistent reads.
    YoungReadEventually,
    /// Rule 4: what the index says is kept at once.
    YoungIndexCached,
    /// Rule 5: what a newer version wrote is kept under the older one.
    NewerCached,
    /// Rule 6: the head is not looked at again after the index.
    NoSecondLook,
}

#[cfg(feature = "sabotage")]
mod switch {
    use std::cell::Cell;

    use super::Sabotage;

    thread_local! {
        static ACTIVE: Cell<Option<Sabotage>> = const { Cell::new(None) };
    }

    impl Sabotage {
        /// Every one there is.
        pub const ALL: [Self; 7] = [
            Self::HeadAfterItem,
            Self::VersionOmitted,
            Self::UnsettledCached,
            Self::YoungReadEventually,
            Self::YoungIndexCached,
            Self::NewerCached,
            Self::NoSecondLook,
        ];

        /// Makes this mistake from now on in this thread; none makes none.
        pub fn set(mistake: Option<Self>) {
            ACTIVE.set(mistake);
        }

        /// Whether this mistake is to be made.
        #[must_use]
        pub fn is_on(self) -> bool {
            ACTIVE.get() == Some(self)
        }
    }
}

#[cfg(not(feature = "sabotage"))]
impl Sabotage {
    /// Never.
    #[must_use]
    pub const fn is_on(self) -> bool {
        false
    }
}
