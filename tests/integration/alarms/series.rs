//! The series of metrics while a cause lasts, from the template's numbers.

use crate::template::properties;

/// The datapoints of a metric: seconds since the cause began, and the value.
pub(super) type Series = Vec<(u64, f64)>;

/// SQS and API Gateway write their metrics once a minute.
const MINUTE: u64 = 60;

/// The longest poll of a queue by Lambda, in seconds.
const POLL: u64 = 20;

/// The longest wait of Lambda before it tries a batch of a stream again, in seconds. AWS gives no figure, so this is an assumption.
const STREAM_BACKOFF: u64 = 60;

/// The retention of a table's stream, in seconds.
const STREAM_RETENTION: u64 = 86_400;

/// The number of receives after which SQS excludes a message from the age of the oldest one (developer guide, "Available CloudWatch metrics").
const RECEIVES_THAT_AGE: u64 = 3;

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// Returns one datapoint, the series of a single event.
pub(super) fn once() -> Series {
    vec![(0, 1.0)]
}

/// Returns a datapoint each minute for some seconds, by its time.
fn minutes(seconds: u64, value: impl Fn(u64) -> f64) -> Series {
    let times = (1..=seconds / MINUTE).map(|minute| minute * MINUTE);
    times.map(|at| (at, value(at))).collect()
}

/// Returns the length of a queue with one message that no consumer receives.
pub(super) fn lies_there() -> Series {
    each_minute()
}

/// Returns one event each minute.
pub(super) fn each_minute() -> Series {
    each_minute_of(59 * MINUTE)
}

/// Returns one event each minute for some seconds.
pub(super) fn each_minute_of(seconds: u64) -> Series {
    minutes(seconds, |_| 1.0)
}

/// Returns one event each second, which is a datapoint each minute.
pub(super) fn each_second() -> Series {
    minutes(59 * MINUTE, |_| 60.0)
}

/// Returns samples of an hour: one in `one_in` of `each_minute` is one value, and the others another.
fn samples(each_minute: u64, one_in: u64, [one, others]: [f64; 2]) -> Series {
    let all = (1..60).flat_map(|minute| (0..each_minute).map(move |number| (minute * MINUTE, number)));
    all.map(|(at, number)| (at, if number % one_in == 0 { one } else { others }))
        .collect()
}

/// Returns a sample for each of a thousand requests a minute: 1 for one in `one_in`, which fails, and 0 for the others.
pub(super) fn failing(one_in: u64) -> Series {
    samples(1000, one_in, [1.0, 0.0])
}

/// Returns a hundred durations of responses each minute, in milliseconds, of which one in `one_in` takes two seconds.
pub(super) fn slow(one_in: u64) -> Series {
    samples(100, one_in, [2000.0, 20.0])
}

/// Returns the age of a deferred record whose every try takes `takes` seconds and fails, recorded at the end of each try, until it is parked.
pub(super) fn deferred(takes: u64) -> Series {
    let (mut at, mut series) = (takes, Vec::new());
    for tries in 0.. {
        series.push((at, float(at * 1000)));
        if at * 1000 > aggregator::GIVE_UP_MS {
            break;
        }
        at += aggregator::delay(tries).as_secs() + POLL + takes;
    }
    series
}

/// The numbers of the template.
pub(super) struct Stack;

impl Stack {
    fn number(&self, resource: &str, path: &[&str]) -> u64 {
        let value = path
            .iter()
            .fold(properties(resource), |value, part| &value[*part]);
        value
            .as_u64()
            .unwrap_or_else(|| panic!("{resource} {path:?} is no number: {value:?}"))
    }

    /// Returns the time-out of a function, in seconds.
    pub(super) fn timeout(&self, function: &str) -> u64 {
        self.number(function, &["Timeout"])
    }

    /// Returns the seconds between two events of a rule.
    fn rate(&self, rule: &str) -> u64 {
        let rule = properties(rule);
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

    /// Returns the age of a message that no consumer receives.
    pub(super) fn never_received(&self, queue: &str) -> Series {
        minutes(self.number(queue, &["MessageRetentionPeriod"]), float)
    }

    /// Returns the age of a message that comes back each time its visibility time-out ends, as long as SQS includes it in the metric.
    pub(super) fn age_while_received(&self, queue: &str) -> Series {
        let counts = RECEIVES_THAT_AGE * (self.number(queue, &["VisibilityTimeout"]) + POLL);
        minutes(counts, float)
    }

    /// Returns the length of a queue of `messages` messages, each of which takes a whole invocation.
    pub(super) fn backlog(&self, messages: u64, mapping: &str, function: &str) -> Series {
        let at_once = self.number(mapping, &["ScalingConfig", "MaximumConcurrency"]);
        let visible = |at: u64| messages.saturating_sub(at_once * (at / self.timeout(function) + 1));
        let mut series = minutes(86_340, |at| float(visible(at)));
        series.retain(|(_, visible)| *visible > 0.0);
        series
    }

    /// Returns the failures of a message whose every try takes `takes` seconds, until it is a dead letter.
    pub(super) fn fails_each_time(&self, takes: u64) -> Series {
        let mut at = takes;
        let mut series = vec![(at, 1.0)];
        for tries in 1..projector::TRIES {
            at += projector::delay(tries).as_secs() + POLL + takes;
            series.push((at, 1.0));
        }
        series
    }

    /// Returns the errors of a message that ends the process after `takes` seconds each time, and comes back when its visibility time-out ends.
    pub(super) fn dies_each_time(&self, queue: &str, takes: u64) -> Series {
        let every = self.number(queue, &["VisibilityTimeout"]) + POLL;
        let receives = self.number(queue, &["RedrivePolicy", "maxReceiveCount"]);
        (0..receives)
            .map(|receive| (receive * every + takes, 1.0))
            .collect()
    }

    /// Returns one event for each event of a rule, for a day.
    pub(super) fn each_time(&self, rule: &str) -> Series {
        let every = self.rate(rule);
        (0..86_400 / every).map(|time| (time * every, 1.0)).collect()
    }

    /// Returns an age in milliseconds, recorded at each event of a rule, for a day.
    pub(super) fn age_at_each(&self, rule: &str) -> Series {
        let each_time = self.each_time(rule).into_iter();
        each_time.map(|(at, _)| (at, float(at * 1000))).collect()
    }

    /// Returns the age in milliseconds of the first record of a failing batch, at the end of each invocation until the record is given up.
    pub(super) fn stalled(&self, function: &str, stream: &str) -> Series {
        let (every, kept) = (self.timeout(function) + STREAM_BACKOFF, self.record_age(stream));
        let invocations = (1..).map(|time| time * every).take_while(|at| *at < kept);
        invocations.map(|at| (at, float(at * 1000))).collect()
    }

    fn record_age(&self, stream: &str) -> u64 {
        self.number(stream, &["MaximumRecordAgeInSeconds"])
    }

    /// Returns the event of a record that is given up. It exists only if the mapping counts events and the stream still holds the record.
    pub(super) fn given_up(&self, stream: &str) -> Series {
        let mapping = properties(stream);
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
