//! The courses that metrics take while a cause lasts, from the template's numbers.

use serde_yaml_ng::Value;

use crate::template::properties;

/// A metric's datapoints: seconds since the cause began, and the value.
pub(super) type Course = Vec<(u64, f64)>;

/// SQS and API Gateway write their metrics once a minute.
const MINUTE: u64 = 60;

/// Lambda asks a queue for messages for so long at once.
const POLL: u64 = 20;

/// Lambda waits no longer than that before it tries a batch of a stream again; AWS gives no figure, this is an assumption.
const STREAM_BACKOFF: u64 = 60;

/// A stream of a table keeps its records for so long.
const STREAM_RETENTION: u64 = 86_400;

/// SQS leaves a message out of the age of the oldest one after so many receives (developer guide, "Available CloudWatch metrics").
const RECEIVES_THAT_AGE: u64 = 3;

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// One datapoint, as a single event leaves it.
pub(super) fn once() -> Course {
    vec![(0, 1.0)]
}

/// A message lies in a queue that nothing receives from.
pub(super) fn lies_there() -> Course {
    (1..60).map(|minute| (minute * MINUTE, 1.0)).collect()
}

/// One event each minute.
pub(super) fn each_minute() -> Course {
    lies_there()
}

/// The age of a deferred record whose every try takes so long and fails, seen at the end of each try, until the record is parked.
pub(super) fn deferred(takes: u64) -> Course {
    let (mut at, mut course) = (takes, Vec::new());
    for tries in 0.. {
        course.push((at, float(at * 1000)));
        if at * 1000 > aggregator::GIVE_UP_MS {
            break;
        }
        at += aggregator::delay(tries).as_secs() + POLL + takes;
    }
    course
}

/// A template, and the numbers in it.
pub(super) struct Stack<'a>(pub(super) &'a Value);

impl Stack<'_> {
    fn number(&self, resource: &str, path: &[&str]) -> u64 {
        let mut value = properties(self.0, resource);
        for part in path {
            value = value[*part].clone();
        }
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{resource} {path:?} is no number: {value:?}"))
    }

    /// The longest that an invocation takes.
    pub(super) fn timeout(&self, function: &str) -> u64 {
        self.number(function, &["Timeout"])
    }

    /// The seconds between two events of a rule.
    fn rate(&self, rule: &str) -> u64 {
        let rule = properties(self.0, rule);
        let expression = rule["ScheduleExpression"].as_str().unwrap();
        let rate = expression
            .strip_prefix("rate(")
            .and_then(|rate| rate.strip_suffix(')'));
        let (count, unit) = rate.unwrap().split_once(' ').unwrap();
        let seconds = match unit.trim_end_matches('s') {
            "minute" => 60,
            "hour" => 3600,
            "day" => 86_400,
            other => panic!("a rate by {other}"),
        };
        count.parse::<u64>().unwrap() * seconds
    }

    /// The age of a message that nothing receives.
    pub(super) fn never_received(&self, queue: &str) -> Course {
        let kept = self.number(queue, &["MessageRetentionPeriod"]);
        let minutes = 1..=kept / MINUTE;
        minutes
            .map(|minute| (minute * MINUTE, float(minute * MINUTE)))
            .collect()
    }

    /// The age of a message that comes back each time its visibility time-out ends, for as long as it counts.
    pub(super) fn age_while_received(&self, queue: &str) -> Course {
        let counts = RECEIVES_THAT_AGE * (self.number(queue, &["VisibilityTimeout"]) + POLL);
        let minutes = 1..=counts / MINUTE;
        minutes
            .map(|minute| (minute * MINUTE, float(minute * MINUTE)))
            .collect()
    }

    /// So many messages of which each takes an invocation as long as there is.
    pub(super) fn backlog(&self, messages: u64, mapping: &str, function: &str) -> Course {
        let at_once = self.number(mapping, &["ScalingConfig", "MaximumConcurrency"]);
        let visible = |at: u64| messages.saturating_sub(at_once * (at / self.timeout(function) + 1));
        let minutes = (1..24 * 60).map(|minute| minute * MINUTE);
        minutes
            .map(|at| (at, float(visible(at))))
            .take_while(|(_, visible)| *visible > 0.0)
            .collect()
    }

    /// Failures of a message whose every try takes so long, until it is a dead letter.
    pub(super) fn fails_each_time(&self, takes: u64) -> Course {
        let mut at = takes;
        let mut course = vec![(at, 1.0)];
        for tries in 1..projector::TRIES {
            at += projector::delay(tries).as_secs() + POLL + takes;
            course.push((at, 1.0));
        }
        course
    }

    /// Errors of a message that ends the process after so long each time: it comes back when its visibility time-out ends.
    pub(super) fn dies_each_time(&self, queue: &str, takes: u64) -> Course {
        let every = self.number(queue, &["VisibilityTimeout"]) + POLL;
        let receives = self.number(queue, &["RedrivePolicy", "maxReceiveCount"]);
        (0..receives)
            .map(|receive| (receive * every + takes, 1.0))
            .collect()
    }

    /// One event each time that a rule fires, for a day.
    pub(super) fn each_time(&self, rule: &str) -> Course {
        let every = self.rate(rule);
        (0..86_400 / every).map(|time| (time * every, 1.0)).collect()
    }

    /// An age in milliseconds, seen each time that a rule fires, for a day.
    pub(super) fn age_at_each(&self, rule: &str) -> Course {
        let each_time = self.each_time(rule).into_iter();
        each_time.map(|(at, _)| (at, float(at * 1000))).collect()
    }

    /// The age of the first record of a batch that fails, in milliseconds, at the end of each invocation until the record is given up.
    pub(super) fn stalled(&self, function: &str, stream: &str) -> Course {
        let (every, kept) = (self.timeout(function) + STREAM_BACKOFF, self.record_age(stream));
        let invocations = (1..).map(|time| time * every).take_while(|at| *at < kept);
        invocations.map(|at| (at, float(at * 1000))).collect()
    }

    fn record_age(&self, stream: &str) -> u64 {
        self.number(stream, &["MaximumRecordAgeInSeconds"])
    }

    /// One record that is given up: counted only where the mapping counts events, and only while the stream has it.
    pub(super) fn given_up(&self, stream: &str) -> Course {
        let mapping = properties(self.0, stream);
        let counts = mapping["MetricsConfig"]["Metrics"].as_sequence();
        let counts =
            counts.is_some_and(|counts| counts.iter().any(|what| what.as_str() == Some("EventCount")));
        let has_destination = !mapping["DestinationConfig"]["OnFailure"]["Destination"].is_null();
        let age = self.record_age(stream);
        if counts && has_destination && age < STREAM_RETENTION {
            vec![(age, 1.0)]
        } else {
            Vec::new()
        }
    }
}
