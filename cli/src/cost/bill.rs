//! A month's bill: quantities by prices, a line for each thing that AWS charges.

use super::prices::{Dollars, Peer, PriceList};
use super::workload::{HOURS, Quantities, Workload};

/// Alarms of the stack without pages and without caches, its metrics and its dashboard (template.yaml).
const ALARMS: f64 = 30.0;
const METRICS: f64 = 25.0;
const DASHBOARDS: f64 = 1.0;
/// The share of provisioned capacity that automatic scaling keeps in use (template.yaml).
const IN_USE: f64 = 0.7;
/// The least capacity of the table and of its index (template.yaml).
const LEAST_UNITS: f64 = 5.0;
const SECONDS: f64 = HOURS * 3600.0;

/// One line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub(crate) service: &'static str,
    pub(crate) what: &'static str,
    pub(crate) quantity: f64,
    pub(crate) dollars: f64,
}

/// The ways to pay for the units of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capacity {
    pub(crate) on_demand: f64,
    /// Provisioned, where automatic scaling follows the load exactly.
    pub(crate) following: f64,
    /// Provisioned, enough for the busiest hour all month long.
    pub(crate) provisioned: f64,
    /// Provisioned capacity is cheaper while the busiest hour is less than this multiple of the average one; `None` where even the least
    /// capacity costs more than all requests.
    pub(crate) break_even_peak: Option<f64>,
    /// The read units a month from which provisioned capacity for that peak is cheaper, with writes in the same proportion.
    pub(crate) break_even_read_units: Option<f64>,
}

/// Returns the lines of a bill, with capacity on demand.
#[rustfmt::skip]
pub(crate) fn lines(used: &Quantities, price: &Dollars) -> Vec<Line> {
    let (million, thousand) = (1e-6, 1e-3);
    [
        ("API Gateway", "requests", used.http_requests, million * price.http_api_million_requests),
        ("Lambda", "invocations", used.invocations, million * price.lambda_million_requests),
        ("Lambda", "GB-seconds", used.gb_seconds, price.lambda_gb_second),
        ("DynamoDB", "read units", used.read_units, million * price.dynamodb_million_read_units),
        ("DynamoDB", "write units", used.write_units, million * price.dynamodb_million_write_units),
        ("DynamoDB", "GB stored", used.table_gb, price.dynamodb_gb_month),
        ("DynamoDB", "GB that can be restored", used.table_gb, price.dynamodb_backup_gb_month),
        ("S3", "GB of versions", used.s3_gb, price.s3_gb_month),
        ("S3", "objects written", used.s3_puts, thousand * price.s3_thousand_puts),
        ("S3", "objects read", used.s3_gets, thousand * price.s3_thousand_gets),
        ("SNS", "messages", used.publishes, million * price.sns_million_publishes),
        ("SQS", "requests", used.queue_requests, million * price.sqs_million_requests),
        // Kept for 90 days.
        ("CloudWatch", "GB of logs", used.log_gb, price.logs_gb + 3.0 * price.logs_gb_month),
        ("CloudWatch", "metrics", METRICS, price.metric_month),
        ("CloudWatch", "alarms", ALARMS, price.alarm_month),
        ("CloudWatch", "dashboards", DASHBOARDS, price.dashboard_month),
        ("X-Ray", "traces", used.traces, million * price.million_traces),
        ("Transfer", "GB to the internet", used.transfer_gb, price.transfer_gb),
    ]
    .map(|(service, what, quantity, each)| Line { service, what, quantity, dollars: quantity * each })
    .to_vec()
}

/// Compares the ways to pay for the units of the table.
pub(crate) fn capacity(work: &Workload, used: &Quantities, price: &Dollars) -> Capacity {
    let on_demand = 1e-6
        * (used.read_units * price.dynamodb_million_read_units
            + used.write_units * price.dynamodb_million_write_units);
    let hour = |reads: f64, writes: f64| {
        reads * price.dynamodb_read_unit_hour + writes * price.dynamodb_write_unit_hour
    };
    // The index gets what it needs of the same load; its least capacity is paid for too.
    let provisioned_for = |scale: f64, peak: f64| {
        let needed = |units: f64| (scale * units / SECONDS * peak / IN_USE).max(LEAST_UNITS);
        HOURS * (hour(needed(used.read_units), needed(used.write_units)) + hour(LEAST_UNITS, LEAST_UNITS))
    };
    Capacity {
        on_demand,
        following: provisioned_for(1.0, 1.0),
        provisioned: provisioned_for(1.0, work.peak),
        break_even_peak: greatest(1.0, 1000.0, |peak| provisioned_for(1.0, peak) <= on_demand),
        break_even_read_units: least(0.0, 1e9, |scale| {
            provisioned_for(scale, work.peak) <= scale * on_demand
        })
        .map(|scale| scale * used.read_units),
    }
}

/// Returns the monthly price of a peer.
pub(crate) fn peer(peer: &Peer) -> f64 {
    HOURS * (peer.database_hour + 2.0 * peer.cache_hour) + peer.database_gb * peer.database_gb_month
}

/// Returns the sum of a bill.
pub(crate) fn total(lines: &[Line]) -> f64 {
    lines.iter().map(|line| line.dollars).sum()
}

/// Returns the name of the region and the date of the prices, for a heading.
pub(crate) fn heading(prices: &PriceList) -> String {
    format!("{}, list prices of {}", prices.region, prices.date)
}

/// Returns the greatest number between two at which a condition holds that fails from some number on; `None` where it never holds.
fn greatest(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    holds(low).then(|| bisect(low, high, &holds))
}

/// Returns the least number between two at which a condition holds that holds from some number on; `None` where it never holds.
fn least(low: f64, high: f64, holds: impl Fn(f64) -> bool) -> Option<f64> {
    holds(high).then(|| bisect(low, high, &|number| !holds(number)))
}

/// Returns where a condition that holds at `low` begins to fail, or `high`.
fn bisect(mut low: f64, mut high: f64, holds: &impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        match holds(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
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
            read_units: 0.5,
            lookup_ms: 8.0,
            peak: 2.0,
        }
    }

    fn prices() -> PriceList {
        PriceList::read(None).unwrap()
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
        let lines = lines(&work().quantities(), &prices().dollars);
        // 100 million requests at a dollar a million.
        assert_near(dollars(&lines, "API Gateway", "requests"), 100.0);
        // 100 million x 8 ms x 0.25 GB = 200,000 GB-seconds of lookups; 10,000 items of a millisecond and a million terms of a twentieth, by
        // 1.727 GB, are 104 more.
        assert_near(
            dollars(&lines, "Lambda", "GB-seconds"),
            200_103.7 * 0.000_013_333_4,
        );
        // 50 million units of lookups, and 8 of each of 200 versions.
        assert_near(dollars(&lines, "DynamoDB", "read units"), 6.25);
        // 10,000 items and 200 versions of 21 units: 14,200 units.
        assert_near(dollars(&lines, "DynamoDB", "write units"), 0.008_875);
        // 100,000 items of 600 bytes.
        assert_near(dollars(&lines, "DynamoDB", "GB stored"), 0.06 * 0.25);
        // 700 bytes and a term's 500 each.
        assert_near(dollars(&lines, "Transfer", "GB to the internet"), 120.0 * 0.09);
    }

    /// By hand: 50 million units a month are 19 a second; twice that at 70 % are 54 units for 730 hours.
    #[test]
    fn capacity_by_hand() {
        let (work, prices) = (work(), prices());
        let capacity = capacity(&work, &work.quantities(), &prices.dollars);
        assert_near(capacity.on_demand, 6.262);
        let reads = 50_001_600.0 / 2_628_000.0 * 2.0 / 0.7;
        assert_near(
            capacity.provisioned,
            730.0 * (reads * 0.000_13 + 5.0 * (0.000_65 + 0.000_65 + 0.000_13)),
        );
        let peak = capacity.break_even_peak;
        assert!(peak.is_none() || peak.unwrap() < 2.5, "{peak:?}");
    }

    /// A unit an hour costs as much as 28.9 % of an hour of requests, so at 70 % in use the peak may be 2.42 times the average.
    #[test]
    fn with_much_traffic_the_break_even_depends_on_the_prices_alone() {
        let work = Workload {
            lookups: 1_000_000_000_000,
            ..work()
        };
        let capacity = capacity(&work, &work.quantities(), &prices().dollars);
        let expected = 0.7 * 0.125e-6 * 3600.0 / 0.000_13;
        assert!(
            (capacity.break_even_peak.unwrap() - expected).abs() < 0.01,
            "{capacity:?}"
        );
    }

    #[test]
    fn at_the_break_even_both_ways_cost_the_same() {
        let (work, prices) = (work(), prices());
        let units = capacity(&work, &work.quantities(), &prices.dollars)
            .break_even_read_units
            .unwrap();
        let scale = units / work.quantities().read_units;
        let used = Quantities {
            read_units: units,
            write_units: work.quantities().write_units * scale,
            ..work.quantities()
        };
        let capacity = capacity(&work, &used, &prices.dollars);
        assert!(
            (capacity.on_demand - capacity.provisioned).abs() < 0.01,
            "{capacity:?}"
        );
    }

    #[test]
    fn more_of_anything_costs_more() {
        let total_of = |work: &Workload| total(&lines(&work.quantities(), &prices().dollars));
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
            Workload {
                read_units: 1.0,
                ..work()
            },
            Workload {
                lookup_ms: 9.0,
                ..work()
            },
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
