//! The results of one process of the function.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::histogram::Histogram;

/// The most wrong responses that are reported in full.
const SHOWN: usize = 10;
/// No response may be older than the version that was published so long before its request began.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// Counts, latencies and ages.
#[derive(Default)]
pub(crate) struct Results {
    statuses: BTreeMap<u64, u64>,
    latencies: BTreeMap<&'static str, Histogram>,
    failures: u64,
    wrong: u64,
    stale: u64,
    early: u64,
    examples: Vec<String>,
    /// The largest age of a response: the time from the publication of the next version to the beginning of the request.
    oldest: Duration,
    /// The time from the publication of a version to the first answer with it, by version.
    first: BTreeMap<u64, Duration>,
}

impl Results {
    /// Counts an answer by its status and kind.
    pub(crate) fn answered(&mut self, kind: &'static str, status: u64, took: Duration) {
        *self.statuses.entry(status).or_default() += 1;
        self.latencies.entry(kind).or_default().add(took);
    }

    /// Counts a request without an answer, or with a 5xx.
    pub(crate) fn failed(&mut self, why: String) {
        self.failures += 1;
        self.show(why);
    }

    /// Counts a response that differs from the file of its version.
    pub(crate) fn wrong(&mut self, why: String) {
        self.wrong += 1;
        self.show(why);
    }

    fn show(&mut self, why: String) {
        if self.examples.len() < SHOWN {
            self.examples.push(why.chars().take(600).collect());
        }
    }

    /// Compares the version of a response with those that were served when its request was handed out, and when its answer came.
    pub(crate) fn aged(
        &mut self,
        version: u64,
        handed_out: Instant,
        answered: Instant,
        served: &BTreeMap<u64, Instant>,
    ) {
        match served.get(&version) {
            None => {
                self.early += 1;
                self.show(format!("version {version} answers before it is served"));
            }
            Some(since) => {
                let first = answered.saturating_duration_since(*since);
                self.first.entry(version).or_insert(first);
            }
        }
        let next = served.range(version + 1..).next();
        let Some(age) = next.and_then(|(_, since)| handed_out.checked_duration_since(*since)) else {
            return;
        };
        self.oldest = self.oldest.max(age);
        if age > FRESH {
            self.stale += 1;
            self.show(format!(
                "version {version} answers {} ms after the next one was served",
                age.as_millis()
            ));
        }
    }

    /// Adds the results of another process; the first answers stay apart.
    pub(crate) fn merge(&mut self, other: Self) {
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        for (kind, histogram) in other.latencies {
            self.latencies.entry(kind).or_default().merge(&histogram);
        }
        self.failures += other.failures;
        self.wrong += other.wrong;
        self.stale += other.stale;
        self.early += other.early;
        self.oldest = self.oldest.max(other.oldest);
        for (version, first) in other.first {
            let latest = self.first.entry(version).or_default();
            *latest = first.max(*latest);
        }
        other.examples.into_iter().for_each(|example| self.show(example));
    }

    /// Returns the number of answers.
    pub(crate) fn requests(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// Returns all of it as JSON. The first version has no time: it was served before the load began.
    pub(crate) fn report(&self) -> Value {
        let mut all = Histogram::default();
        self.latencies.values().for_each(|one| all.merge(one));
        let first: BTreeMap<_, _> = self
            .first
            .iter()
            .skip(1)
            .map(|(version, first)| (version.to_string(), millis(*first)))
            .collect();
        json!({
            "requests": self.requests(),
            "statuses": self.statuses.iter().map(|(status, count)| (status.to_string(), count)).collect::<BTreeMap<_, _>>(),
            "kinds": self.latencies.iter().map(|(kind, one)| (*kind, one.report())).collect::<BTreeMap<_, _>>(),
            "all": all.report(),
            "failures": self.failures,
            "wrong": self.wrong + self.early,
            "stale": self.stale,
            "oldest_ms": millis(self.oldest),
            "first_ms": first,
            "examples": self.examples,
        })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_stale_two_seconds_after_the_next_version() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let served = BTreeMap::from([(1, begin), (2, at(1_000)), (3, at(9_000))]);
        let mut results = Results::default();
        results.aged(1, at(900), at(950), &served);
        results.aged(1, at(2_999), at(3_100), &served);
        assert_eq!((results.stale, results.oldest), (0, Duration::from_millis(1_999)));
        results.aged(1, at(3_001), at(3_002), &served);
        assert_eq!(results.stale, 1);
        results.aged(2, at(3_001), at(3_500), &served);
        assert_eq!(results.report()["first_ms"], json!({"2": 2_500}));
    }

    #[test]
    fn a_version_may_not_answer_before_it_is_served() {
        let mut results = Results::default();
        results.aged(
            2,
            Instant::now(),
            Instant::now(),
            &BTreeMap::from([(1, Instant::now())]),
        );
        assert_eq!(results.report()["wrong"], 1);
    }

    #[test]
    fn the_results_of_processes_add_up() {
        let (mut one, mut other) = (Results::default(), Results::default());
        one.answered("term", 200, Duration::from_micros(5));
        other.answered("term", 404, Duration::from_micros(7));
        other.failed("no answer in 10 s".to_owned());
        other.wrong("name: other".to_owned());
        one.merge(other);
        let report = one.report();
        assert_eq!(
            (&report["requests"], &report["failures"], &report["wrong"]),
            (&json!(2), &json!(1), &json!(1))
        );
        assert_eq!(report["statuses"], json!({"200": 1, "404": 1}));
        assert_eq!(report["examples"].as_array().unwrap().len(), 2);
    }
}
