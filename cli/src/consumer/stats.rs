//! `taxonomy stats`: shows the aggregates of a tenant or a category.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use taxonomy_client::answers::{CategoryStats, Counts, TenantStats};
use taxonomy_keys::{CategoryId, TenantId};

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{FORMAT_VERSION, counted, document, grouped, printable, stdout};
use crate::stack::{Session, StackArguments};

/// Show the counts of a tenant or a category
///
/// Shows the counts of a tenant, with its activity by month, or of a category.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy stats acme
  taxonomy stats acme --category 1 --output json")]
pub(crate) struct Stats {
    /// The tenant
    #[arg(value_name = "TENANT")]
    tenant: TenantId,
    /// The category [default: the whole tenant]
    #[arg(long, value_name = "ID")]
    category: Option<CategoryId>,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a, T> {
    format_version: u32,
    #[serde(flatten)]
    stats: &'a T,
}

/// Shows the aggregates.
///
/// # Errors
/// [`Failure`] when a request fails, or there are no aggregates yet.
pub(crate) async fn run(stats: &Stats) -> Result<Exit, Failure> {
    let session = Session::open(&stats.stack).await?;
    let tenant = session.api(&stats.tenant).await?;
    match stats.category {
        Some(category) => write(
            stats.output,
            &tenant.category_stats(category).await?,
            tell_category,
        ),
        None => write(stats.output, &tenant.stats().await?, tell_tenant),
    }?;
    Ok(Exit::Done)
}

fn write<T: Serialize>(
    output: Output,
    stats: &T,
    tell: fn(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    match output {
        Output::Human => tell(&mut stdout(), stats),
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                stats,
            },
        ),
    }
}

fn tell_tenant(out: &mut dyn Write, stats: &TenantStats) -> io::Result<()> {
    writeln!(
        out,
        "version      {} of {}",
        stats.version,
        printable(&stats.changed_at)
    )?;
    writeln!(out, "categories   {}", grouped(stats.categories))?;
    tell_counts(out, &stats.counts)?;
    for month in &stats.months {
        writeln!(
            out,
            "{:<12} {}, {} added, {} changed, {} removed",
            printable(&month.month.to_string()),
            counted(month.versions, "version"),
            grouped(month.added),
            grouped(month.changed),
            grouped(month.removed),
        )?;
    }
    Ok(())
}

fn tell_category(out: &mut dyn Write, stats: &CategoryStats) -> io::Result<()> {
    let removed = if stats.removed { ", removed" } else { "" };
    writeln!(
        out,
        "version      {} of {}{removed}",
        stats.version,
        printable(&stats.changed_at)
    )?;
    tell_counts(out, &stats.counts)
}

fn tell_counts(out: &mut dyn Write, counts: &Counts) -> io::Result<()> {
    writeln!(
        out,
        "terms        {}, of them {} leaves and {} deprecated",
        grouped(counts.terms),
        grouped(counts.leaves),
        grouped(counts.deprecated)
    )?;
    let depths: Vec<String> = counts.depths.iter().map(|terms| grouped(*terms)).collect();
    writeln!(out, "by depth     {}, top terms first", depths.join(", "))?;
    for (culture, named) in &counts.names {
        writeln!(out, "{:<12} {} named", culture.to_string(), grouped(*named))?;
    }
    Ok(())
}
