//! A month's work of a stack.

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
