//! A month's work of a stack, and the quantities that AWS charges for it.
//!
//! Each constant names its source: a page that measures it, or that it is an assumption.

use clap::Args;

/// A month's work. The defaults are those of a small platform.
#[derive(Debug, Clone, Args)]
pub(super) struct Workload {
    /// Tenants
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(super) tenants: u64,
    /// Terms of each tenant
    #[arg(long, value_name = "COUNT", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=1_100_000))]
    pub(super) terms: u64,
    /// Cultures in which each term is named
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=500))]
    pub(super) cultures: u64,
    /// Bytes of an item: of google's products 418, of esco's occupations 777, of the diagnoses of ICD-10-CM 1,109
    #[arg(long, value_name = "BYTES", default_value_t = 600, value_parser = clap::value_parser!(u32).range(100..=400_000))]
    pub(super) item_bytes: u32,
    /// Changed terms of each tenant a month; a term counts whose ancestor is renamed
    #[arg(long, value_name = "COUNT", default_value_t = 500, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000))]
    pub(super) edits: u64,
    /// Versions of each tenant a month
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pub(super) versions: u64,
    /// Requests to the HTTP API a month, of all tenants
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub(super) lookups: u64,
    /// Terms in each request
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(super) batch: u64,
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
const HOURS: f64 = 730.0;
const GB: f64 = 1e9;

/// The consumption of a month's work.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Quantities {
    pub(super) http_requests: f64,
    pub(super) invocations: f64,
    pub(super) gb_seconds: f64,
    pub(super) read_units: f64,
    pub(super) write_units: f64,
    pub(super) table_gb: f64,
    pub(super) s3_gb: f64,
    pub(super) s3_puts: f64,
    pub(super) s3_gets: f64,
    pub(super) publishes: f64,
    pub(super) queue_requests: f64,
    pub(super) log_gb: f64,
    pub(super) traces: f64,
    pub(super) transfer_gb: f64,
}

impl Workload {
    /// Returns what the work of a month consumes, after a year of it: versions add up, the table does not.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn quantities(&self) -> Quantities {
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
            gb_seconds: lookups * LOOKUP_MS / 1000.0 * LOOKUP_GB
                + (item_seconds + term_seconds) * PROJECTOR_GB,
            read_units: lookups * self.batch as f64 * READ_UNITS + versions * VERSION_READS,
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
