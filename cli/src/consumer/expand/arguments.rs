//! The arguments of `taxonomy expand`. The comments of its fields are the text of `--help`.

use std::path::PathBuf;

use clap::Args;
use taxonomy_keys::{Culture, TenantId};

use super::path::FieldPath;
use super::render::NamesField;
use crate::stack::StackArguments;

/// Add the names of terms and their ancestors to metrics
///
/// Reads one JSON object a line and writes the same objects in the same order, with the further fields `names` (the term first, then its
/// ancestors, nearest first), `unknown` (ids without a term) and `taxonomyVersion`. Each request reads 100 terms.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy expand --tenant acme < metrics.ndjson > expanded.ndjson
  taxonomy expand metrics.ndjson --tenant acme --out expanded.ndjson
  taxonomy expand metrics.ndjson --tenant acme --out expanded.ndjson --resume
  tail -f metrics.ndjson | taxonomy expand --tenant acme --field termIds --culture fr-FR
  taxonomy expand --tenant acme --field 'job.terms[].id' --into terms --fail-on-unknown < m.ndjson")]
pub(crate) struct Expand {
    /// The tenant
    #[arg(long, value_name = "TENANT")]
    pub(crate) tenant: TenantId,
    /// The metrics, one JSON object a line of at most 1 MiB; `-` reads standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// The culture of the names; the tenant's default without it
    #[arg(long, value_name = "TAG")]
    pub(crate) culture: Option<Culture>,
    /// Where a metric has its term ids: keys separated by dots, `[]` for every element of an array
    #[arg(long, value_name = "PATH", default_value = "categories[].terms[].id")]
    pub(crate) field: FieldPath,
    /// The field that the names are written to
    #[arg(long, value_name = "NAME", default_value = "names")]
    pub(crate) into: NamesField,
    /// Write to this file instead of standard output, which is `-`; it is replaced without `--resume`
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Continue the file of `--out` after its last complete line
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// End with 5 where a line of this run has unknown ids
    #[arg(long)]
    pub(crate) fail_on_unknown: bool,
    #[command(flatten)]
    pub(crate) stack: StackArguments,
}
