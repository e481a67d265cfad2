//! `taxonomy stats`: shows the aggregates of a tenant or a category.

use std::io::{self, Write};

use clap::Args;
use taxonomy_client::answers::{CategoryStats, Counts, TenantStats};
use taxonomy_keys::CategoryId;

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, grouped, printable};
use crate::stack::Session;

/// Show the counts of a tenant or a category
///
/// Shows the counts of a tenant, with its activity by month, or of a category.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy stats acme
  taxonomy stats acme --category 1 --output json")]
pub(crate) struct Stats {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// The category [default: the whole tenant]
    #[arg(long, value_name = "ID")]
    category: Option<CategoryId>,
    #[command(flatten)]
    common: CommonArguments,
}

/// Shows the aggregates.
///
/// # Errors
/// [`Failure`] when a request fails, or there are no aggregates yet.
pub(crate) async fn run(stats: &Stats) -> Result<Exit, Failure> {
    let session = Session::open(&stats.common.stack).await?;
    let tenant = session.api(stats.tenant.id()?).await?;
    let output = stats.common.output;
    if let Some(category) = stats.category {
        let stats = tenant.category_stats(category).await?;
        output.write(&stats, |out| tell_category(out, &stats))?;
    } else {
        let stats = tenant.stats().await?;
        output.write(&stats, |out| tell_tenant(out, &stats))?;
    }
    Ok(Exit::Done)
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
    for month in stats.months.iter().flatten() {
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
