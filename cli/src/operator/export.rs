//! `taxonomy export`: writes a file or a version in another format (docs/decisions/0020-downloads.md).

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::csv::{self, Dialect};
use taxonomy_formats::history::{HistoryError, HistoryWriter};
use taxonomy_formats::skos::{self, Base, LeftOut};
use taxonomy_formats::{Form, Format, Loss, SortedTaxonomy, json, losses, ndjson};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_versioning::State;

use crate::arguments::{Configured, Output};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::Target;
use crate::operator::side::{Side, Sides};
use crate::output::{counted, stderr};
use crate::stack::StackArguments;

/// Write a file or a version in another format
///
/// Writes a file or a version as SKOS in Turtle, CSV, NDJSON or JSON, or the history of a tenant's names as CSV. Standard error lists what
/// the format has no place for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy export csv acme.json --out acme.csv
  taxonomy export skos acme.json --name acme --base https://example.org/taxonomies > acme.ttl
  taxonomy export json 3 --tenant acme --out acme-3.json
  taxonomy export history --tenant acme --dialect spreadsheet --out acme-history.csv

A number is a version; a file whose name is a number is written ./7.")]
pub(crate) struct Export {
    /// The format: skos, csv, ndjson, json or history
    #[arg(value_name = "FORMAT")]
    format: Format,
    /// The version or file [default: the newest version of --tenant]
    #[arg(value_name = "VERSION|FILE")]
    source: Option<Side>,
    /// The tenant of versions, under whose configuration a file is read
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The file to write; `-` is standard output [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Of csv and history: `data` for programs, `spreadsheet` with no cell that a spreadsheet runs as a formula
    #[arg(long, value_name = "DIALECT", default_value = "data")]
    dialect: Dialect,
    /// Of skos: the tenant in the IRIs [default: --tenant]
    #[arg(long, value_name = "TENANT")]
    name: Option<TenantId>,
    /// Of skos: the beginning of the IRIs [default: urn:x-taxonomy:tenants]
    #[arg(long, value_name = "IRI")]
    base: Option<Base>,
    /// Of skos: the label of the concept scheme [default: the tenant]
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    label: String,
    /// The configuration of the stack and the tenant, where a file is read without --tenant.
    #[command(flatten)]
    configured: Configured,
    #[command(flatten)]
    stack: StackArguments,
}

/// Exports a file, a version, or the history of a tenant.
///
/// # Errors
/// [`Failure`] when the source cannot be read or the output cannot be written. An incomplete output file is deleted.
pub(crate) async fn run(export: &Export) -> Result<Exit, Failure> {
    export.check()?;
    let input = export.source.as_ref().and_then(Side::file);
    let inputs = input.into_iter().chain(export.stack.files());
    let target = Target::or_stdout(export.out.as_deref(), inputs)?;
    let tenant = export.tenant.as_ref();
    let sides = Sides::open(tenant, &export.stack, &export.configured, Output::Human).await?;
    if export.format == Format::History {
        return history(export, &target, &sides).await;
    }
    let taxonomy = match &export.source {
        Some(side) => sides.read(side).await?,
        None => newest(&sides).await?.taxonomy,
    };
    let tree = SortedTaxonomy::new(&taxonomy, sibling_keys);
    let mut out = target.create()?;
    let left_out = out.write(|out| export.write(&tree, out))?;
    out.close()?;
    report(export.format, &taxonomy, &losses(&tree, export.format), left_out)?;
    Ok(Exit::Done)
}

impl Export {
    /// Refuses arguments that contradict each other.
    fn check(&self) -> Result<(), Failure> {
        let has_version = matches!(self.source, Some(Side::Version(_)) | None);
        let usage = if self.format == Format::History && self.source.is_some() {
            "the history covers all versions: name only the tenant"
        } else if has_version && self.tenant.is_none() {
            "name a file, or a tenant by `--tenant`"
        } else if Form::new(self.format, self.dialect).is_none() {
            "only csv and history have a dialect for spreadsheets"
        } else if self.format != Format::Skos
            && (self.base.is_some() || self.name.is_some() || !self.label.is_empty())
        {
            "`--name`, `--base` and `--label` are for skos"
        } else if self.format == Format::Skos && self.name().is_none() {
            "SKOS names concepts after a tenant: name one by `--name`"
        } else {
            return Ok(());
        };
        Err(Failure::usage(usage))
    }

    fn name(&self) -> Option<&TenantId> {
        self.name.as_ref().or(self.tenant.as_ref())
    }

    fn write(&self, tree: &SortedTaxonomy<'_>, out: &mut dyn Write) -> io::Result<Option<LeftOut>> {
        match self.format {
            Format::Json => json::write(tree, out).map(|()| None),
            Format::Ndjson => ndjson::write(tree, out).map(|()| None),
            Format::Csv => csv::write(tree, self.dialect, out).map(|()| None),
            Format::Skos => {
                let tenant = self.name().ok_or(io::ErrorKind::InvalidInput)?;
                let base = self.base.clone().unwrap_or_default();
                let options = skos::Options {
                    tenant,
                    base: &base,
                    label: &self.label,
                };
                skos::write(tree, &options, out).map(Some)
            }
            Format::History => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

async fn newest(sides: &Sides<'_>) -> Result<State, Failure> {
    let (service, tenant) = sides.versions()?;
    let newest = service.state_at(tenant, u64::MAX).await?;
    newest.ok_or_else(|| {
        let message = format!("the tenant {tenant} has no version");
        Failure::unable(message, "`taxonomy push` publishes the first one.")
    })
}

/// Exports every version in order. At most two versions are in memory.
async fn history(export: &Export, target: &Target, sides: &Sides<'_>) -> Result<Exit, Failure> {
    let (service, tenant) = sides.versions()?;
    let last = newest(sides).await?.entry.version;
    let mut writer = HistoryWriter::new(export.dialect);
    let mut out = target.create()?;
    let mut before: Option<Taxonomy> = None;
    let mut version = Version::FIRST;
    while version <= last {
        let State { entry, taxonomy } = service.state(tenant, version).await?;
        let at = entry.committed_at;
        out.write(|mut out| wrote(writer.step(version, at, before.as_ref(), &taxonomy, &mut out)))?;
        (before, version) = (Some(taxonomy), version.next());
    }
    out.write(|mut out| wrote(writer.finish(before.as_ref(), &mut out)))?;
    out.close()?;
    if let Some(newest) = &before {
        let losses = losses(&SortedTaxonomy::new(newest, sibling_keys), Format::History);
        report(Format::History, newest, &losses, None)?;
    }
    Ok(Exit::Done)
}

fn wrote(result: Result<(), HistoryError>) -> io::Result<()> {
    result.map_err(|error| match error {
        HistoryError::Io(error) => error,
        other => io::Error::other(other),
    })
}

/// Lists the written items, and the items that the format cannot express.
fn report(
    format: Format,
    taxonomy: &Taxonomy,
    losses: &[Loss],
    left_out: Option<LeftOut>,
) -> Result<(), Failure> {
    let mut out = stderr();
    let (categories, terms) = (taxonomy.categories().count(), taxonomy.terms().count());
    let (categories, terms) = (
        counted(categories as u64, "category"),
        counted(terms as u64, "term"),
    );
    writeln!(out, "exported {categories} and {terms} as {format}")?;
    if !losses.is_empty() {
        let losses: Vec<String> = losses.iter().map(Loss::to_string).collect();
        writeln!(out, "{format} has no place for {}", losses.join(", "))?;
    }
    let unstated = left_out.map_or(0, |left_out| left_out.total());
    if unstated > 0 {
        let relations = counted(unstated, "relation");
        writeln!(
            out,
            "{relations} cannot be expressed in SKOS, and are only in `tax:relations`"
        )?;
    }
    Ok(())
}
