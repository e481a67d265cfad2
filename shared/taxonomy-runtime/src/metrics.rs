//! CloudWatch metrics without a request: log lines in the embedded metric format.
//! Format: <https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use crate::{Clock, Invocation, Metric};

/// The namespace of all metrics.
pub const NAMESPACE: &str = "Taxonomy";

/// The maximum number of values of one metric in one line, by the format.
const MAX_VALUES: usize = 100;

/// The metrics of a function since they were last printed.
#[derive(Debug)]
pub struct Metrics {
    function: String,
    values: Mutex<BTreeMap<Metric, Vec<u64>>>,
}

impl Metrics {
    /// Builds an empty set; the name of the function becomes the dimension `Function`.
    pub fn new(function: &str) -> Self {
        Self {
            function: function.to_owned(),
            values: Mutex::default(),
        }
    }

    /// Adds to a sum. Adding 0 publishes the metric, so that an alarm has data.
    pub fn count(&self, metric: Metric, by: u64) {
        let mut values = self.values();
        let sum = values.entry(metric).or_default();
        match sum.first_mut() {
            Some(sum) => *sum = sum.saturating_add(by),
            None => sum.push(by),
        }
    }

    /// Records a value of a metric that is no sum, such as a duration. At most 100 values fit into a line; later ones are
    /// dropped.
    pub fn observe(&self, metric: Metric, value: u64) {
        let mut values = self.values();
        let values = values.entry(metric).or_default();
        if values.len() < MAX_VALUES {
            values.push(value);
        }
    }

    /// Returns the current sum.
    pub fn counted(&self, metric: Metric) -> u64 {
        let values = self.values();
        let sum = values.get(&metric).and_then(|values| values.first());
        sum.copied().unwrap_or(0)
    }

    /// Prints the line to stdout if there is a value, and clears the set.
    pub fn emit(&self, clock: &dyn Clock) {
        if let Some(line) = self.take_line(clock.now_ms(), &Invocation::current()) {
            #[expect(
                clippy::print_stdout,
                reason = "CloudWatch reads metrics from the log of the function"
            )]
            {
                println!("{line}");
            }
        }
    }

    fn values(&self) -> MutexGuard<'_, BTreeMap<Metric, Vec<u64>>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the set, and returns its line, with the ids of an invocation; `None` without values.
    fn take_line(&self, timestamp_ms: u64, invocation: &Invocation) -> Option<String> {
        let values = mem::take(&mut *self.values());
        if values.is_empty() {
            return None;
        }
        let names = values
            .keys()
            .map(|metric| json!({"Name": metric.name(), "Unit": metric.unit()}));
        let mut line = Map::new();
        line.insert(
            "_aws".to_owned(),
            json!({
                "Timestamp": timestamp_ms,
                "CloudWatchMetrics": [{
                    "Namespace": NAMESPACE,
                    "Dimensions": [["Function"]],
                    "Metrics": names.collect::<Vec<_>>(),
                }],
            }),
        );
        line.insert("Function".to_owned(), json!(&self.function));
        for (name, id) in [("requestId", &invocation.request), ("traceId", &invocation.trace)] {
            if !id.is_empty() {
                line.insert(name.to_owned(), json!(id));
            }
        }
        for (metric, values) in values {
            let value = match values.as_slice() {
                [single] => json!(single),
                several => json!(several),
            };
            line.insert(metric.name(), value);
        }
        Some(Value::Object(line).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_cloudwatch_reads() {
        let metrics = Metrics::new("projector");
        metrics.count(Metric::ItemsWritten, 3);
        metrics.count(Metric::Rejected, 0);
        metrics.count(Metric::ItemsWritten, 4);
        metrics.observe(Metric::ProjectionLag, 1500);
        metrics.observe(Metric::ProjectionLag, 900);
        let invocation = Invocation {
            request: "r-1".to_owned(),
            trace: "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700".to_owned(),
        };
        let line = metrics.take_line(1_767_225_600_000, &invocation).unwrap();
        assert_eq!(line.lines().count(), 1);
        let line: Value = serde_json::from_str(&line).unwrap();
        let expect = json!({
            "_aws": {
                "Timestamp": 1_767_225_600_000_u64,
                "CloudWatchMetrics": [{
                    "Namespace": "Taxonomy",
                    "Dimensions": [["Function"]],
                    "Metrics": [
                        {"Name": "Rejected", "Unit": "Count"},
                        {"Name": "ItemsWritten", "Unit": "Count"},
                        {"Name": "ProjectionLag", "Unit": "Milliseconds"},
                    ],
                }],
            },
            "Function": "projector",
            "requestId": "r-1",
            "traceId": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
            "Rejected": 0,
            "ItemsWritten": 7,
            "ProjectionLag": [1500, 900],
        });
        assert_eq!(line, expect);
    }

    #[test]
    fn nothing_counted_is_no_line_and_a_line_has_no_more_values_than_the_format_allows() {
        let metrics = Metrics::new("projector");
        assert_eq!(metrics.take_line(5, &Invocation::default()), None);
        metrics.count(Metric::Rejected, 1);
        assert_eq!(metrics.counted(Metric::Rejected), 1);
        metrics.emit(&|| 5);
        assert_eq!(metrics.take_line(5, &Invocation::default()), None);
        let metrics = Metrics::new("projector");
        (0..200).for_each(|value| metrics.observe(Metric::ProjectionLag, value));
        let line = metrics.take_line(5, &Invocation::default()).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["ProjectionLag"].as_array().unwrap().len(), 100);
    }

    #[test]
    fn every_metric_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = Metric::ALL.map(Metric::name).into();
        assert_eq!(names.len(), Metric::ALL.len());
    }
}
