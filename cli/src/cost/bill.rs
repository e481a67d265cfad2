//! A month's bill: quantities by list prices, a line for each thing that AWS charges.

use serde::{Serialize, Serializer};

use super::workload::Quantities;

/// The day and the region of the prices.
pub(super) const DATE: &str = "2026-11-21";
pub(super) const REGION: &str = "us-east-1";
/// Alarms of the stack without pages and without caches, its metrics and its dashboard (template.yaml).
const ALARMS: f64 = 30.0;
const METRICS: f64 = 25.0;
const DASHBOARDS: f64 = 1.0;

/// One line.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Line {
    pub(super) service: &'static str,
    pub(super) what: &'static str,
    pub(super) quantity: f64,
    #[serde(serialize_with = "as_cents")]
    pub(super) dollars: f64,
}

/// Returns the lines of a bill, with the table's capacity on demand. A GB has 10^9 bytes.
#[rustfmt::skip]
pub(super) fn lines(used: &Quantities) -> Vec<Line> {
    let (million, thousand) = (1e-6, 1e-3);
    [
        ("API Gateway", "requests", used.http_requests, million * 1.00),
        ("Lambda", "invocations", used.invocations, million * 0.20),
        ("Lambda", "GB-seconds", used.gb_seconds, 0.000_013_333_4),
        ("DynamoDB", "read units", used.read_units, million * 0.125),
        ("DynamoDB", "write units", used.write_units, million * 0.625),
        ("DynamoDB", "GB stored", used.table_gb, 0.25),
        ("DynamoDB", "GB that can be restored", used.table_gb, 0.20),
        ("S3", "GB of versions", used.s3_gb, 0.023),
        ("S3", "objects written", used.s3_puts, thousand * 0.005),
        ("S3", "objects read", used.s3_gets, thousand * 0.000_4),
        ("SNS", "messages", used.publishes, million * 0.50),
        ("SQS", "requests", used.queue_requests, million * 0.40),
        // Written once, and kept for 90 days.
        ("CloudWatch", "GB of logs", used.log_gb, 0.50 + 3.0 * 0.03),
        ("CloudWatch", "metrics", METRICS, 0.30),
        ("CloudWatch", "alarms", ALARMS, 0.10),
        ("CloudWatch", "dashboards", DASHBOARDS, 3.00),
        ("X-Ray", "traces", used.traces, million * 5.00),
        ("Transfer", "GB to the internet", used.transfer_gb, 0.09),
    ]
    .map(|(service, what, quantity, each)| Line { service, what, quantity, dollars: quantity * each })
    .to_vec()
}

fn as_cents<S: Serializer>(dollars: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(cents(*dollars))
}

/// Rounds dollars to cents.
pub(super) fn cents(dollars: f64) -> f64 {
    (dollars * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use taxonomy_runtime::Metric;

    use super::super::workload::Workload;
    use super::*;

    fn work() -> Workload {
        Workload {
            tenants: 10,
            terms: 5_000,
            cultures: 2,
            item_bytes: 600,
            edits: 500,
            versions: 20,
            lookups: 100_000_000,
            batch: 1,
        }
    }

    fn dollars(lines: &[Line], service: &str, what: &str) -> f64 {
        let found = lines
            .iter()
            .find(|line| line.service == service && line.what == what);
        found.unwrap().dollars
    }

    #[track_caller]
    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.005, "{found} and not {expected}");
    }

    /// The expected dollars are worked out by hand from the prices.
    #[test]
    fn a_bill_by_hand() {
        let lines = lines(&work().quantities());
        // 100 million requests at a dollar a million.
        assert_near(dollars(&lines, "API Gateway", "requests"), 100.0);
        // 100 million x 8 ms x 0.25 GB = 200,000 GB-seconds of lookups; 10,000 items of a millisecond and a million terms of a twentieth, by
        // 1.727 GB, are 104 more.
        assert_near(
            dollars(&lines, "Lambda", "GB-seconds"),
            200_103.7 * 0.000_013_333_4,
        );
        // 0.39 units of each of 100 million lookups, and 8 of each of 200 versions.
        assert_near(dollars(&lines, "DynamoDB", "read units"), 4.875);
        // 10,000 items and 200 versions of 21 units: 14,200 units.
        assert_near(dollars(&lines, "DynamoDB", "write units"), 0.008_875);
        // 100,000 items of 600 bytes.
        assert_near(dollars(&lines, "DynamoDB", "GB stored"), 0.06 * 0.25);
        // 700 bytes and a term's 500 each.
        assert_near(dollars(&lines, "Transfer", "GB to the internet"), 120.0 * 0.09);
    }

    #[test]
    fn more_of_anything_costs_more() {
        let total_of = |work: &Workload| {
            lines(&work.quantities())
                .iter()
                .map(|line| line.dollars)
                .sum::<f64>()
        };
        let base = total_of(&work());
        for more in [
            Workload {
                tenants: 20,
                ..work()
            },
            Workload {
                terms: 10_000,
                ..work()
            },
            Workload {
                cultures: 3,
                ..work()
            },
            Workload {
                item_bytes: 2_000,
                ..work()
            },
            Workload {
                edits: 5_000,
                ..work()
            },
            Workload {
                versions: 200,
                ..work()
            },
            Workload {
                lookups: 200_000_000,
                ..work()
            },
            Workload { batch: 2, ..work() },
        ] {
            assert!(total_of(&more) > base, "{more:?}");
        }
    }

    #[test]
    fn the_template_has_as_many_alarms_and_metrics() {
        let template = include_str!("../../../template.yaml");
        let alarms = template.split("    Type: AWS::CloudWatch::Alarm\n").skip(1);
        let always = alarms.filter(|rest| !rest.starts_with("    Condition:"));
        assert_eq!(ALARMS, f64::from(u32::try_from(always.count()).unwrap()));
        assert_eq!(METRICS, f64::from(u32::try_from(Metric::ALL.len()).unwrap()));
    }
}
