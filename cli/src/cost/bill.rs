//! A month's bill: the quantities that the work consumes by list prices, a line for each thing that AWS charges.
//!
//! Each constant of a quantity names its source: a page that measures it, or that it is an assumption.

use serde::{Serialize, Serializer};

use super::prices::Prices;
use super::workload::Workload;

/// Alarms of the stack without pages and without caches, its metrics and its dashboard (template.yaml).
const ALARMS: f64 = 32.0;
const METRICS: f64 = 25.0;
const DASHBOARDS: f64 = 1.0;

/// Read units of a lookup with the cache of the process, heads included (docs/promises.md, `make prove NAMES=caches`).
const READ_UNITS: f64 = 0.39;
/// An assumption: not measured on AWS.
const LOOKUP_MS: f64 = 8.0;
/// Memory of the lookup and of the projector, in GB (template.yaml).
const LOOKUP_GB: f64 = 0.25;
const PROJECTOR_GB: f64 = 1.769 / 1.024;
/// Write units of a version beside those of its items: commit 5, begin and end of a load 6, aggregates 5 and one for each of five touched
/// categories (docs/access-patterns.md).
const VERSION_UNITS: f64 = 21.0;
/// Read units of a version: head, configuration and log, by the projector and the aggregator.
const VERSION_READS: f64 = 8.0;
/// Requests to S3 of a version: source, snapshot, changeset, index file and search objects.
const VERSION_PUTS: f64 = 8.0;
const VERSION_GETS: f64 = 12.0;
/// Bytes of a term in a snapshot, an index file and the search objects of a version, compressed: an assumption from real files.
const VERSION_TERM_BYTES: f64 = 250.0;
/// Milliseconds of the projector for each item that it writes, sixteen at a time, and for each term that it reads: an assumption.
const ITEM_MS: f64 = 1.0;
const TERM_MS: f64 = 0.05;
/// Bytes in the logs for each request: the lookup's line, Lambda's three, and the line of the HTTP API.
const LOG_BYTES: f64 = 1_300.0;
/// Bytes of a response with headers, and of each term in it.
const RESPONSE_BYTES: f64 = 700.0;
const TERM_BYTES: f64 = 500.0;
/// X-Ray samples 5 % of requests, beside one a second.
const TRACED: f64 = 0.05;
/// Runs of schedules a month: a sweep every five minutes, sources daily, audits weekly (template.yaml).
const SCHEDULED: f64 = 8_795.0;
/// Polls by Lambda of four empty queues: by five connections a queue, each of 20 seconds.
const POLLS: f64 = 4.0 * 5.0 * HOURS * 180.0;
/// The months whose versions are stored.
const MONTHS: f64 = 12.0;
/// Of a month.
const HOURS: f64 = 730.0;
const GB: f64 = 1e9;

/// One line.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct BillLine {
    pub(super) service: &'static str,
    pub(super) what: &'static str,
    pub(super) quantity: f64,
    #[serde(serialize_with = "as_cents")]
    pub(super) dollars: f64,
}

/// Returns the lines of a bill after a year of such months, with the table's capacity on demand: versions add up, the table does not. A GB
/// has 10^9 bytes.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
#[rustfmt::skip]
pub(super) fn lines(prices: &Prices, work: &Workload) -> Vec<BillLine> {
    let [tenants, terms, cultures] = [work.tenants, work.terms, work.cultures].map(|count| count as f64);
    let [lookups, batch] = [work.lookups, work.batch].map(|count| count as f64);
    let versions = tenants * work.versions as f64;
    let item_bytes = f64::from(work.item_bytes);
    let kilobytes = (item_bytes / 1024.0).ceil();
    // A term has an item in each culture.
    let table_gb = tenants * terms * cultures * item_bytes / GB;
    let writes = tenants * work.edits as f64 * cultures;
    let projector_seconds = writes * ITEM_MS / 1000.0 + versions * terms * TERM_MS / 1000.0;
    let gb_seconds = lookups * LOOKUP_MS / 1000.0 * LOOKUP_GB + projector_seconds * PROJECTOR_GB;
    let response_bytes = RESPONSE_BYTES + batch * TERM_BYTES;
    [
        ("API Gateway", "requests", lookups),
        // Of a version: an upload's message, its record in the stream, and the caches' record.
        ("Lambda", "invocations", lookups + 3.0 * versions + SCHEDULED),
        ("Lambda", "GB-seconds", gb_seconds),
        ("DynamoDB", "read units", lookups * batch * READ_UNITS + versions * VERSION_READS),
        ("DynamoDB", "write units", writes * kilobytes + versions * VERSION_UNITS),
        ("DynamoDB", "GB stored", table_gb),
        ("DynamoDB", "GB that can be restored", table_gb),
        ("S3", "GB of versions", MONTHS * versions * terms * VERSION_TERM_BYTES / GB),
        ("S3", "objects written", versions * VERSION_PUTS),
        ("S3", "objects read", versions * VERSION_GETS),
        ("SNS", "messages", 2.0 * versions),
        ("SQS", "requests", POLLS + 3.0 * versions),
        ("CloudWatch", "GB of logs", lookups * LOG_BYTES / GB),
        ("CloudWatch", "metrics", METRICS),
        ("CloudWatch", "alarms", ALARMS),
        ("CloudWatch", "dashboards", DASHBOARDS),
        ("X-Ray", "traces", lookups * TRACED),
        ("Transfer", "GB to the internet", lookups * response_bytes / GB),
    ]
    .map(|(service, what, quantity)| BillLine { service, what, quantity, dollars: prices.of(service, what, quantity) })
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

    /// The expected dollars are worked out by hand from the prices.
    #[test]
    fn a_bill_by_hand() {
        let lines = lines(&Prices::list().unwrap(), &work());
        for (service, what, expected) in [
            // 100 million requests at a dollar a million.
            ("API Gateway", "requests", 100.0),
            // 100 million x 8 ms x 0.25 GB = 200,000 GB-seconds of lookups; 10,000 items of a millisecond and a million terms of a twentieth,
            // by 1.727 GB, are 104 more.
            ("Lambda", "GB-seconds", 200_103.7 * 0.000_013_333_4),
            // 0.39 units of each of 100 million lookups, and 8 of each of 200 versions.
            ("DynamoDB", "read units", 4.875),
            // 10,000 items and 200 versions of 21 units: 14,200 units.
            ("DynamoDB", "write units", 0.008_875),
            // 100,000 items of 600 bytes.
            ("DynamoDB", "GB stored", 0.06 * 0.25),
            // 700 bytes and a term's 500 each.
            ("Transfer", "GB to the internet", 120.0 * 0.09),
        ] {
            let mut found = lines.iter();
            let found = found.find(|line| (line.service, line.what) == (service, what));
            let found: f64 = found.unwrap().dollars;
            assert!((found - expected).abs() < 0.005, "{what}: {found}");
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

    /// 8,760 sweeps, 30.4 comparisons of sources and 4.3 audits.
    #[test]
    fn the_schedules_are_those_of_the_template() {
        let template = include_str!("../../../template.yaml");
        let lines = template.lines().map(str::trim);
        let rates = lines.filter_map(|line| line.strip_prefix("ScheduleExpression: "));
        let rates: Vec<&str> = rates.collect();
        assert_eq!(rates, ["rate(5 minutes)", "rate(1 day)", "!Ref AuditRate"]);
        let runs = HOURS * (12.0 + 1.0 / 24.0 + 1.0 / 168.0);
        assert!((SCHEDULED - runs).abs() < 0.5, "{runs}");
    }
}
