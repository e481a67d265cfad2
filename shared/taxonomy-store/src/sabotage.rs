//! Ways to break the protocol on purpose, each a mistake that somebody made before. A proof that does not notice one proves
//! nothing. Without the feature `sabotage`, which only tests switch on, it does nothing.

/// A mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// The source is chosen before the head is read, and read as it was then, so that an older file can be committed over a newer one.
    /// To choose early alone does no harm: a read on condition that nothing newer is there comes after the head all the same.
    SourceBeforeHead,
    /// What is gone is deleted instead of marked, so that a late writer brings it back.
    HardDeletes,
    /// Items are written without a condition, as a batch does.
    UnguardedWrites,
    /// Items are written without a condition by whoever holds a lease of a minute.
    LeaseOnly,
    /// A tenant whose source is unchanged is left alone, however far its projection is.
    ReturnWhenUnchanged,
    /// A commit that was refused counts as lost, and its changeset is deleted.
    DeleteAfterFailedCommit,
    /// Totals are added to by each record instead of written absolutely.
    PlainAdd,
    /// Aggregates are written without a condition.
    UnguardedAggregates,
    /// A version's activity is added without proof that it had not been.
    CountedWithoutProof,
    /// Only categories that count otherwise than before are written, not all that were touched.
    OnlyWhatCountsOtherwise,
    /// The tenant's totals, which say that all is done, are written first.
    TotalsFirst,
    /// The aggregator ends a batch at the first record that fails, whatever the failure is.
    NoIsolation,
}

#[cfg(feature = "sabotage")]
mod switch {
    use std::cell::Cell;

    use super::Sabotage;

    thread_local! {
        static ACTIVE: Cell<Option<Sabotage>> = const { Cell::new(None) };
    }

    impl Sabotage {
        /// Those of the protocol.
        pub const ALL: [Self; 6] = [
            Self::SourceBeforeHead,
            Self::HardDeletes,
            Self::UnguardedWrites,
            Self::LeaseOnly,
            Self::ReturnWhenUnchanged,
            Self::DeleteAfterFailedCommit,
        ];

        /// Those of the aggregates.
        pub const OF_AGGREGATES: [Self; 5] = [
            Self::PlainAdd,
            Self::UnguardedAggregates,
            Self::CountedWithoutProof,
            Self::OnlyWhatCountsOtherwise,
            Self::TotalsFirst,
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
