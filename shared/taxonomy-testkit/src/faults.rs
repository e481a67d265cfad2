//! Fault injection: which requests fail, and how.

use std::time::Duration;

use tokio::time::Instant;

/// A fault of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection breaks before the service receives the request: not applied, the SDK retries.
    DropBeforeSend,
    /// Applied, but the connection breaks before the response arrives: the SDK retries, so a conditional write meets its own first attempt.
    AnswerLost,
    /// Applied, but the response is HTTP 500.
    ServerErrorAfterApply,
    /// Not applied: `ProvisionedThroughputExceededException`, or `SlowDown` from S3. The SDK retries.
    Throttle,
    /// Not applied: the service calls the request invalid, as it would every time. The SDK does not retry.
    Refuse,
    /// Not applied: `TransactionConflictException`, `TransactionCanceledException` with the reason `TransactionConflict`,
    /// or `ConditionalRequestConflict` (409) from S3. The SDK does not retry.
    TransactionConflict,
    /// The process dies before it sends the request: not applied, and no further request is sent until
    /// [`Transport::reset_faults`](crate::Transport::reset_faults).
    Crash,
    /// The process dies after the service applied the request, before it receives the response.
    CrashAfterApply,
    /// Applied only after this delay, perhaps when no caller waits for the response any more: a time-out of the SDK does not cancel a
    /// request that was sent. [`Transport::settle`](crate::Transport::settle) waits for such requests.
    SlowBeforeApply(Duration),
    /// Applied at once; the response arrives after this delay.
    SlowAnswer(Duration),
    /// Applied and answered at once, but the body of the response arrives in small pieces over this time: the time-out of an attempt covers
    /// only the wait for the headers.
    SlowBody(Duration),
    /// The replica answers an eventually consistent read of DynamoDB
    /// ([`EmbeddedDynamoDb::hold_replica`](crate::EmbeddedDynamoDb::hold_replica)); every other request is answered as usual.
    StaleRead,
}

impl Fault {
    /// Every fault that makes any request fail, for tests that run through all of them. Not included are the faults that only delay a
    /// request, the one that applies only to reads, and the one that no repetition heals.
    pub const ALL: [Fault; 7] = [
        Fault::DropBeforeSend,
        Fault::AnswerLost,
        Fault::ServerErrorAfterApply,
        Fault::Throttle,
        Fault::TransactionConflict,
        Fault::Crash,
        Fault::CrashAfterApply,
    ];

    /// Whether the process does not survive the fault.
    pub fn is_crash(self) -> bool {
        matches!(self, Fault::Crash | Fault::CrashAfterApply)
    }
}

/// A filter of requests. Counting starts with the injection, and each attempt of the SDK is a request of its own.
#[derive(Debug, Clone)]
pub struct When {
    first: usize,
    times: usize,
    operation: Option<String>,
    containing: Option<String>,
}

impl When {
    /// Selects the n-th matching request, from 1.
    pub fn nth(n: usize) -> Self {
        assert!(n > 0, "requests are counted from 1");
        Self {
            first: n,
            times: 1,
            operation: None,
            containing: None,
        }
    }

    /// Selects every matching request.
    pub fn always() -> Self {
        Self {
            times: usize::MAX,
            ..Self::nth(1)
        }
    }

    /// Restricts the filter to requests of this operation, such as `UpdateItem` or `GetObject`.
    #[must_use]
    pub fn operation(mut self, name: &str) -> Self {
        self.operation = Some(name.to_owned());
        self
    }

    /// Restricts the filter to requests whose [`target`](crate::Exchange::target) contains this text, such as a key.
    #[must_use]
    pub fn containing(mut self, text: &str) -> Self {
        self.containing = Some(text.to_owned());
        self
    }

    /// Selects this number of consecutive matching requests instead of one.
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

/// A fault of a transport, which counts the requests that its filter matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Injected(usize);

/// The faults of a transport and the number of requests that each has counted.
#[derive(Debug, Default)]
pub(crate) struct FaultPlan {
    rules: Vec<Rule>,
    limits: Vec<Limit>,
    injected: usize,
    crashed: bool,
}

#[derive(Debug)]
struct Rule {
    name: Injected,
    when: When,
    fault: Fault,
    seen: usize,
}

/// A rate limit: lets `per_second` matching requests through in each second of tokio's time and throttles the rest, as a partition of
/// DynamoDB does, where each request is one unit. Unlike AWS it accumulates at most one second of unused requests.
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
    pub(crate) fn inject(&mut self, when: When, fault: Fault) -> Injected {
        self.injected += 1;
        let name = Injected(self.injected);
        self.rules.push(Rule {
            name,
            when,
            fault,
            seen: 0,
        });
        name
    }

    /// Returns the number of requests that a fault has counted.
    pub(crate) fn counted(&self, name: Injected) -> usize {
        let rule = self.rules.iter().find(|rule| rule.name == name);
        rule.map_or(0, |rule| rule.seen)
    }

    pub(crate) fn withdraw(&mut self, name: Injected) {
        self.rules.retain(|rule| rule.name != name);
    }

    pub(crate) fn revive(&mut self) {
        self.crashed = false;
    }

    /// Removes everything. The names of removed faults are not given again.
    pub(crate) fn reset(&mut self) {
        self.rules.clear();
        self.limits.clear();
        self.crashed = false;
    }

    pub(crate) fn limit(&mut self, when: When, per_second: u32) {
        self.limits.push(Limit {
            when,
            per_second: per_second.into(),
            left: per_second.into(),
            at: Instant::now(),
        });
    }

    /// Counts a request and returns its fault; if several apply, the one that was injected first.
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
        // A throttled request is not applied, whatever fault its response has.
        if !chosen.is_some_and(Fault::is_crash) && limit.is_some_and(|limit| !limit.passes()) {
            chosen = Some(Fault::Throttle);
        }
        self.crashed = chosen.is_some_and(Fault::is_crash);
        chosen
    }
}
