//! How often what goes wrong.

use std::time::Duration;

use fastrand::Rng;

use crate::faults::Fault;
use crate::wire::Pending;

/// Chances in per mille. The fates of a request exclude each other, so their sum is at most 1000; `stall`, `lost_zombie`,
/// `later` and `replicate` are about other moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chances {
    /// A request's actor dies, half of the times before the request is applied, half after.
    pub crash: u32,
    /// [`Fault::DropBeforeSend`].
    pub drop_before_send: u32,
    /// [`Fault::AnswerLost`].
    pub answer_lost: u32,
    /// [`Fault::ServerErrorAfterApply`].
    pub server_error_after_apply: u32,
    /// [`Fault::Throttle`].
    pub throttle: u32,
    /// [`Fault::TransactionConflict`], for writes of DynamoDB and S3.
    pub conflict: u32,
    /// [`Fault::SlowAnswer`] of 8 ms to 32 s.
    pub slow_answer: u32,
    /// [`Fault::StaleRead`], for reads of DynamoDB; wants a replica, see [`Stage::replicate`](super::Stage::replicate).
    pub stale_read: u32,
    /// A request stays on the wire for 8 ms to 32 s, which may be longer than its sender waits or lives.
    pub stall: u32,
    /// A request that nobody waits for any more never arrives.
    pub lost_zombie: u32,
    /// At each step while somebody runs, one of the later actions happens.
    pub later: u32,
    /// At each step, a write arrives at a replica.
    pub replicate: u32,
}

impl Chances {
    /// Nothing goes wrong; only the order is the seed's.
    pub const NONE: Self = Self {
        crash: 0,
        drop_before_send: 0,
        answer_lost: 0,
        server_error_after_apply: 0,
        throttle: 0,
        conflict: 0,
        slow_answer: 0,
        stale_read: 0,
        stall: 0,
        lost_zombie: 0,
        later: 200,
        replicate: 300,
    };

    /// Everything but stale reads goes wrong now and then; an invocation of some twenty requests survives more often than not.
    pub const ROUGH: Self = Self {
        crash: 15,
        drop_before_send: 20,
        answer_lost: 20,
        server_error_after_apply: 20,
        throttle: 30,
        conflict: 20,
        slow_answer: 20,
        stale_read: 0,
        stall: 100,
        lost_zombie: 300,
        later: 200,
        replicate: 300,
    };

    pub(super) fn check(&self) {
        let fates = [
            self.crash,
            self.drop_before_send,
            self.answer_lost,
            self.server_error_after_apply,
            self.throttle,
            self.conflict,
            self.slow_answer,
            self.stale_read,
        ];
        assert!(
            fates.iter().sum::<u32>() <= 1000,
            "more than every request goes wrong"
        );
    }

    /// What becomes of a request that somebody waits for.
    pub(super) fn fate(&self, rng: &mut Rng, request: &Pending) -> Fate {
        let slow = Fault::SlowAnswer(long(rng));
        let fates = [
            (self.crash, Fate::Crash { applied: rng.bool() }),
            (self.drop_before_send, Fate::Meet(Some(Fault::DropBeforeSend))),
            (self.answer_lost, Fate::Meet(Some(Fault::AnswerLost))),
            (
                self.server_error_after_apply,
                Fate::Meet(Some(Fault::ServerErrorAfterApply)),
            ),
            (self.throttle, Fate::Meet(Some(Fault::Throttle))),
            (self.conflict, Fate::Meet(Some(Fault::TransactionConflict))),
            (self.slow_answer, Fate::Meet(Some(slow))),
            (self.stale_read, Fate::Meet(Some(Fault::StaleRead))),
        ];
        let mut roll = rng.u32(0..1000);
        for (chance, fate) in fates {
            if roll < chance {
                return if fate.suits(request) {
                    fate
                } else {
                    Fate::Meet(None)
                };
            }
            roll -= chance;
        }
        Fate::Meet(None)
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    Meet(Option<Fault>),
    Crash { applied: bool },
}

impl Fate {
    fn suits(self, request: &Pending) -> bool {
        let operation = request.operation.as_str();
        match self {
            Fate::Meet(Some(Fault::TransactionConflict)) => matches!(
                (request.service, operation),
                (
                    "DynamoDB",
                    "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" | "TransactGetItems"
                ) | ("S3", "PutObject" | "DeleteObject")
            ),
            Fate::Meet(Some(Fault::StaleRead)) => {
                request.service == "DynamoDB"
                    && matches!(operation, "GetItem" | "BatchGetItem" | "Query" | "Scan")
            }
            _ => true,
        }
    }
}

pub(super) fn happens(rng: &mut Rng, chance: u32) -> bool {
    rng.u32(0..1000) < chance
}

/// 8 ms to 32 s, each doubling as likely as the next: shorter and longer than any time-out.
pub(super) fn long(rng: &mut Rng) -> Duration {
    let least = 1 << rng.u32(3..15);
    Duration::from_millis(rng.u64(least..=2 * least))
}
