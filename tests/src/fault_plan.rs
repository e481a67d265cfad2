//! The faults that scenarios try at every request, alone and in pairs.

use std::time::Duration;

use taxonomy_testkit::Fault;

/// A fault at the n-th request of a process, counted from 1.
pub type NthFault = (usize, Fault);

/// Every fault that a request can meet.
pub const FAULTS: [Fault; 12] = [
    Fault::DropBeforeSend,
    Fault::AnswerLost,
    Fault::ServerErrorAfterApply,
    Fault::Throttle,
    Fault::TransactionConflict,
    Fault::Crash,
    Fault::CrashAfterApply,
    Fault::StaleRead,
    // Within the time of an attempt, longer than that, and longer than the life of the sender.
    Fault::SlowBeforeApply(Duration::from_secs(2)),
    Fault::SlowBeforeApply(Duration::from_secs(5)),
    Fault::SlowBeforeApply(Duration::from_secs(60)),
    Fault::SlowAnswer(Duration::from_secs(5)),
];

/// Returns every fault at every one of the first `requests` requests.
pub fn singles(requests: usize) -> impl Iterator<Item = NthFault> {
    (1..=requests).flat_map(|nth| FAULTS.map(|fault| (nth, fault)))
}

/// Returns the crash of a process after each request, with a fault at each request of the next process, which sends at most `more` requests
/// more. The durable state is the same whether a process dies before a request or after the one before, so only the latter is tried. The
/// second fault takes turns.
pub fn pairs(requests: usize, more: usize) -> impl Iterator<Item = (NthFault, NthFault)> {
    (1..=requests).flat_map(move |i| {
        (1..=requests + more).map(move |j| ((i, Fault::CrashAfterApply), (j, in_turn(i + j))))
    })
}

/// Returns the fault with a number, in turn.
pub fn in_turn(number: usize) -> Fault {
    FAULTS[number % FAULTS.len()]
}
