//! The rates of the faults of a run.

use std::time::Duration;

use fastrand::Rng;

use crate::faults::Fault;
use crate::transport::Pending;

/// Fault rates, per mille. The outcomes of a request exclude each other, so their sum is at most 1000. `stall`, `lost_zombie`, `later` and
/// `replicate` are separate rates, each drawn at the moment that its field describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultRates {
    /// The request's actor dies, in half of the cases before the request is applied, in the other half after.
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
    /// [`Fault::StaleRead`], for reads of DynamoDB; needs a replica, see [`Scenario::replicate`](super::Scenario::replicate).
    pub stale_read: u32,
    /// A request is delayed by 8 ms to 32 s, which may exceed its sender's time-out or life.
    pub stall: u32,
    /// A request whose sender no longer waits for it is lost instead of arriving.
    pub lost_zombie: u32,
    /// At each step during which an actor runs, one of the later actions happens.
    pub later: u32,
    /// At each step, a write arrives at a replica.
    pub replicate: u32,
}

impl FaultRates {
    /// No faults; the seed determines only the order.
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

    /// Every fault except stale reads, at rates at which an invocation of some twenty requests survives more often than not.
    pub const ROUGH: Self = Self {
        crash: 15,
        drop_before_send: 20,
        answer_lost: 20,
        server_error_after_apply: 20,
        throttle: 30,
        conflict: 20,
        slow_answer: 20,
        stall: 100,
        lost_zombie: 300,
        ..Self::NONE
    };

    pub(super) fn check(&self) {
        let rates = self.fates(Fault::Throttle, false).map(|(rate, _)| rate);
        assert!(
            rates.iter().sum::<u32>() <= 1000,
            "more than every request goes wrong"
        );
    }

    fn fates(&self, slow: Fault, applied: bool) -> [(u32, Fate); 8] {
        let met = |rate, fault| (rate, Fate::Meet(Some(fault)));
        [
            (self.crash, Fate::Crash { applied }),
            met(self.drop_before_send, Fault::DropBeforeSend),
            met(self.answer_lost, Fault::AnswerLost),
            met(self.server_error_after_apply, Fault::ServerErrorAfterApply),
            met(self.throttle, Fault::Throttle),
            met(self.conflict, Fault::TransactionConflict),
            met(self.slow_answer, slow),
            met(self.stale_read, Fault::StaleRead),
        ]
    }

    /// Draws the outcome of a request whose sender waits for it.
    pub(super) fn fate(&self, rng: &mut Rng, request: &Pending) -> Fate {
        let slow = Fault::SlowAnswer(long(rng));
        let fates = self.fates(slow, rng.bool());
        let mut roll = rng.u32(0..1000);
        for (rate, fate) in fates {
            if roll < rate {
                return match fate.suits(request) {
                    true => fate,
                    false => Fate::Meet(None),
                };
            }
            roll -= rate;
        }
        Fate::Meet(None)
    }
}

/// The outcome of a request.
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
                    "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems"
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

/// Draws 8 ms to 32 s, each doubling equally likely: a range both shorter and longer than any time-out.
pub(super) fn long(rng: &mut Rng) -> Duration {
    let least = 1 << rng.u32(3..15);
    Duration::from_millis(rng.u64(least..=2 * least))
}
