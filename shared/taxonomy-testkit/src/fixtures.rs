//! Names that every test uses, so that snapshots of different crates read alike.

/// The tenant of most tests.
pub const ACME: &str = "acme";
/// A second tenant, for tests of isolation.
pub const GLOBEX: &str = "globex";
/// The default culture of the fixtures.
pub const EN_GB: &str = "en-GB";
/// A second culture with its own names.
pub const FR_FR: &str = "fr-FR";
/// A culture that few nodes have names in.
pub const DE_DE: &str = "de-DE";
/// The table.
pub const TABLE: &str = "taxonomy";
/// The bucket that upstream systems write to.
pub const SOURCE_BUCKET: &str = "taxonomy-source";
/// The bucket of snapshots, changesets and reports.
pub const CHANGESETS_BUCKET: &str = "taxonomy-changesets";
/// The start time of tests: 2026-01-01T00:00:00Z, in epoch milliseconds.
pub const NEW_YEAR_MS: u64 = 1_767_225_600_000;
