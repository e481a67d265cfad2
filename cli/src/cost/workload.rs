//! A month's work of a stack, and the quantities that AWS charges for it.
//!
//! Each constant names its source: a page that measures it, or that it is an assumption.

use clap::Args;

use crate::failure::Failure;

/// A month's work. The defaults are those of a small platform.
#[derive(Debug, Clone, Args)]
pub(crate) struct Workload {
    /// Tenants
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) tenants: u64,
    /// Terms of each tenant
    #[arg(long, value_name = "COUNT", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_100_000))]
    pub(crate) terms: u64,
    /// Cultures in which each term is named
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=500))]
    pub(crate) cultures: u64,
    /// Bytes of an item: of google's products 418, of esco's occupations 777, of the diagnoses of ICD-10-CM 1,109
    #[arg(long, value_name = "BYTES", default_value_t = 600, value_parser = clap::value_parser!(u32).range(100..=400_000))]
    pub(crate) item_bytes: u32,
    /// Changed terms of each tenant a month; a term counts whose ancestor is renamed
    #[arg(long, value_name = "COUNT", default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub(crate) edits: u64,
    /// Versions of each tenant a month
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pub(crate) versions: u64,
    /// Requests to the HTTP API a month, of all tenants
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub(crate) lookups: u64,
    /// Terms in each request
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) batch: u64,
    /// Read units of each term looked up; 0.5 without any cache
    #[arg(long, value_name = "UNITS", default_value_t = READ_UNITS)]
    pub(crate) read_units: f64,
    /// Milliseconds of each request in the lookup
    #[arg(long, value_name = "MS", default_value_t = LOOKUP_MS)]
    pub(crate) lookup_ms: f64,
    /// The busiest hour, as a multiple of the average one
    #[arg(long, value_name = "FACTOR", default_value_t = 4.0)]
    pub(crate) peak: f64,
}

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
pub(crate) const HOURS: f64 = 730.0;
const GB: f64 = 1e9;

/// The consumption of a month's work.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quantities {
    pub(crate) http_requests: f64,
    pub(crate) invocations: f64,
    pub(crate) gb_seconds: f64,
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
    pub(crate) table_gb: f64,
    pub(crate) s3_gb: f64,
    pub(crate) s3_puts: f64,
    pub(crate) s3_gets: f64,
    pub(crate) publishes: f64,
    pub(crate) queue_requests: f64,
    pub(crate) log_gb: f64,
    pub(crate) traces: f64,
    pub(crate) transfer_gb: f64,
}

impl Workload {
    /// Checks the numbers that may have a fraction.
    ///
    /// # Errors
    /// [`Failure`] when one is no number, negative or beyond reason.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        for (name, value, range) in [
            ("--read-units", self.read_units, 0.0..=1000.0),
            ("--lookup-ms", self.lookup_ms, 0.0..=10_000.0),
            ("--peak", self.peak, 1.0..=1000.0),
        ] {
            if !range.contains(&value) {
                let (from, to) = (range.start(), range.end());
                return Err(Failure::Usage(format!("{name} is from {from} to {to}")));
            }
        }
        Ok(())
    }

    /// Returns what the work of a month consumes, after a year of it: versions add up, the table does not.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn quantities(&self) -> Quantities {
        let [tenants, terms, cultures] = [self.tenants, self.terms, self.cultures].map(|count| count as f64);
        let versions = tenants * self.versions as f64;
        let lookups = self.lookups as f64;
        let item_bytes = f64::from(self.item_bytes);
        // A term has an item in each culture.
        let items = tenants * terms * cultures;
        let kilobytes = (item_bytes / 1024.0).ceil();
        let writes = tenants * self.edits as f64 * cultures;
        let item_seconds = writes * ITEM_MS / 1000.0;
        let term_seconds = versions * terms * TERM_MS / 1000.0;
        Quantities {
            http_requests: lookups,
            // Of a version: an upload's message, its record in the stream, and the caches' record.
            invocations: lookups + 3.0 * versions + SCHEDULED,
            gb_seconds: lookups * self.lookup_ms / 1000.0 * LOOKUP_GB
                + (item_seconds + term_seconds) * PROJECTOR_GB,
            read_units: lookups * self.batch as f64 * self.read_units + versions * VERSION_READS,
            write_units: writes * kilobytes + versions * VERSION_UNITS,
            table_gb: items * item_bytes / GB,
            s3_gb: MONTHS * versions * terms * VERSION_TERM_BYTES / GB,
            s3_puts: versions * VERSION_PUTS,
            s3_gets: versions * VERSION_GETS,
            publishes: 2.0 * versions,
            queue_requests: POLLS + 3.0 * versions,
            log_gb: lookups * LOG_BYTES / GB,
            traces: lookups * TRACED,
            transfer_gb: lookups * (RESPONSE_BYTES + self.batch as f64 * TERM_BYTES) / GB,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HOURS, SCHEDULED};

    /// 8,760 sweeps, 30.4 comparisons of sources and 4.3 audits.
    #[test]
    fn the_schedules_are_those_of_the_template() {
        let template = include_str!("../../../template.yaml");
        let lines = template.lines().map(str::trim);
        let rates: Vec<&str> = lines
            .filter_map(|line| line.strip_prefix("ScheduleExpression: "))
            .collect();
        assert_eq!(rates, ["rate(5 minutes)", "rate(1 day)", "!Ref AuditRate"]);
        let runs = HOURS * (12.0 + 1.0 / 24.0 + 1.0 / 168.0);
        assert!((SCHEDULED - runs).abs() < 0.5, "{runs}");
    }
}
