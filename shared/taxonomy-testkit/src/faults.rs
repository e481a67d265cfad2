//! Which request goes wrong, and how.

use std::time::Duration;

use tokio::time::Instant;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection breaks before the service sees the request: not applied, the SDK retries.
    DropBeforeSend,
    /// Applied, but the connection breaks before the answer arrives: the SDK retries, so a conditional write meets itself.
    AnswerLost,
    /// Applied, but the answer is HTTP 500.
    ServerErrorAfterApply,
    /// Not applied: `ProvisionedThroughputExceededException`, or `SlowDown` from S3. The SDK retries.
    Throttle,
    /// Not applied: `TransactionConflictException`, `TransactionCanceledException` with the reason `TransactionConflict`,
    /// or `ConditionalRequestConflict` (409) from S3. The SDK does not retry.
    TransactionConflict,
    /// The process dies before it sends: not applied, and no further request gets through until
    /// [`Wire::reset_faults`](crate::Wire::reset_faults).
    Crash,
    /// The process dies after the service applied the request, before it sees the answer.
    CrashAfterApply,
    /// Applied only after so long, by then perhaps without anybody who waits for the answer: time-outs of the SDK do not call a
    /// request back. [`Wire::settle`](crate::Wire::settle) waits for it.
    SlowBeforeApply(Duration),
    /// Applied at once, answered after so long.
    SlowAnswer(Duration),
    /// Applied and answered at once, but the body of the answer arrives in small pieces over so long: time-outs of an attempt end with the
    /// headers.
    SlowBody(Duration),
    /// An eventually consistent read of DynamoDB is answered by the replica
    /// ([`EmbeddedDynamoDb::hold_replica`](crate::EmbeddedDynamoDb::hold_replica)); everything else is answered as usual.
    StaleRead,
}

impl Fault {
    /// Every fault that breaks whatever request it meets, for tests that go through all of them. Those that merely take their
    /// time, and the one of reads, stand aside.
    pub const ALL: [Fault; 7] = [
        Fault::DropBeforeSend,
        Fault::AnswerLost,
        Fault::ServerErrorAfterApply,
        Fault::Throttle,
        Fault::TransactionConflict,
        Fault::Crash,
        Fault::CrashAfterApply,
    ];

    /// Whether the process does not survive it.
    pub fn is_crash(self) -> bool {
        matches!(self, Fault::Crash | Fault::CrashAfterApply)
    }
}

/// Chooses requests. Counting starts with the injection, and each attempt of the SDK is a request of its own.
#[derive(Debug, Clone)]
pub struct When {
    first: usize,
    times: usize,
    operation: Option<String>,
    containing: Option<String>,
}

impl When {
    /// The n-th matching request, from 1.
    pub fn nth(n: usize) -> Self {
        assert!(n > 0, "requests are counted from 1");
        Self {
            first: n,
            times: 1,
            operation: None,
            containing: None,
        }
    }

    /// Every matching request.
    pub fn always() -> Self {
        Self {
            times: usize::MAX,
            ..Self::nth(1)
        }
    }

    /// Only requests of this operation, such as `UpdateItem` or `GetObject`.
    #[must_use]
    pub fn operation(mut self, name: &str) -> Self {
        self.operation = Some(name.to_owned());
        self
    }

    /// Only requests whose [`target`](crate::Exchange::target) holds this text, such as a key.
    #[must_use]
    pub fn containing(mut self, text: &str) -> Self {
        self.containing = Some(text.to_owned());
        self
    }

    /// So many matching requests in a row instead of one.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = times;
        self
    }

    fn matches(&self, operation: &str, target: &str) -> bool {
        self.operation.as_deref().is_none_or(|name| name == operation)
            && self
                .containing
                .as_deref()
                .is_none_or(|text| target.contains(text))
    }
}

/// The faults of a wire and how far their counting has come.
#[derive(Debug, Default)]
pub(crate) struct FaultPlan {
    rules: Vec<Rule>,
    limits: Vec<Limit>,
    crashed: bool,
}

#[derive(Debug)]
struct Rule {
    when: When,
    fault: Fault,
    seen: usize,
}

/// Lets so many matching requests pass a second of tokio's time, and throttles the others: a partition of DynamoDB, where each request is
/// one unit. Unlike AWS it saves up no more than one second.
#[derive(Debug)]
struct Limit {
    when: When,
    per_second: f64,
    left: f64,
    at: Instant,
}

impl Limit {
    fn passes(&mut self) -> bool {
        let now = Instant::now();
        let earned = now.duration_since(self.at).as_secs_f64() * self.per_second;
        (self.left, self.at) = ((self.left + earned).min(self.per_second), now);
        let passes = self.left >= 1.0;
        if passes {
            self.left -= 1.0;
        }
        passes
    }
}

impl FaultPlan {
    pub(crate) fn inject(&mut self, when: When, fault: Fault) {
        self.rules.push(Rule { when, fault, seen: 0 });
    }

    pub(crate) fn limit(&mut self, when: When, per_second: u32) {
        self.limits.push(Limit {
            when,
            per_second: per_second.into(),
            left: per_second.into(),
            at: Instant::now(),
        });
    }

    pub(crate) fn is_crashed(&self) -> bool {
        self.crashed
    }

    /// Counts a request and says what happens to it; where several faults apply, the one injected first.
    pub(crate) fn next(&mut self, operation: &str, target: &str) -> Option<Fault> {
        if self.crashed {
            return Some(Fault::Crash);
        }
        let mut chosen = None;
        for rule in self
            .rules
            .iter_mut()
            .filter(|rule| rule.when.matches(operation, target))
        {
            rule.seen += 1;
            let since = rule.seen.checked_sub(rule.when.first);
            if since.is_some_and(|since| since < rule.when.times) {
                chosen = chosen.or(Some(rule.fault));
            }
        }
        let mut limits = self.limits.iter_mut();
        let limit = limits.find(|limit| limit.when.matches(operation, target));
        // A throttled request is not applied, whatever else would happen to its answer.
        if !chosen.is_some_and(Fault::is_crash) && limit.is_some_and(|limit| !limit.passes()) {
            chosen = Some(Fault::Throttle);
        }
        self.crashed = chosen.is_some_and(Fault::is_crash);
        chosen
    }
}
