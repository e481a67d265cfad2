//! Names that every test uses, so that snapshots of different crates read alike.

/// The tenant of most tests.
pub const ACME: &str = "acme";
/// A second tenant, for tests of isolation.
pub const GLOBEX: &str = "globex";
/// A second culture with its own names.
pub const FR_FR: &str = "fr-FR";
/// The table.
pub const TABLE: &str = "taxonomy";
/// The bucket that upstream systems write to.
pub const SOURCE_BUCKET: &str = "taxonomy-source";
/// The bucket of snapshots, changesets and reports.
pub const CHANGESETS_BUCKET: &str = "taxonomy-changesets";
/// The start time of tests: 2026-01-01T00:00:00Z, in epoch milliseconds.
pub const NEW_YEAR_MS: u64 = 1_767_225_600_000;
