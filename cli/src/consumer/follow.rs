//! `taxonomy follow`: writes a line for each version when it is published.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_client::answers::Head;
use taxonomy_keys::TenantId;
use tokio::time::sleep;

use crate::arguments::{Output, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Document, counted, printable, stderr, stdout};
use crate::stack::{Session, StackArguments};

/// The largest number of consecutive failures that the command tolerates.
const FAILURES: u32 = 10;

/// Print a line for each published version
///
/// Writes a line when a version of a tenant is published, the current one first. Polls the HTTP API, which sends no body for an unchanged
/// version.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy follow acme
  taxonomy follow acme --output json | while read -r version; do refresh; done

`from` is the version that was published before, so versions that came faster than the interval are counted too.")]
pub(crate) struct Follow {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// The seconds between two requests
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    interval: u64,
    /// End after this many lines [default: never]
    #[arg(long, value_name = "LINES")]
    limit: Option<u64>,
    /// The form of the output; `json` writes a document a line
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PublishedVersion<'a> {
    tenant: &'a TenantId,
    /// The previously published version; 0 in the first line.
    from: u64,
    /// The published version.
    version: u64,
    /// Its head.
    head: &'a Head,
}

/// Polls the head of the tenant.
///
/// # Errors
/// [`Failure`] when the service refuses a request, or too many requests fail in a row.
pub(crate) async fn run(follow: &Follow) -> Result<Exit, Failure> {
    let session = Session::open(&follow.stack).await?;
    let tenant = session.api(follow.tenant.id()?).await?;
    let (mut from, mut lines, mut failures) = (0, 0, 0);
    let mut is_told = false;
    loop {
        match tenant.head().await {
            Ok(head) => {
                failures = 0;
                if head.version.get() != from {
                    write(follow.output, from, &head)?;
                    from = head.version.get();
                    lines += 1;
                }
            }
            Err(error) if error.is_retryable() && failures < FAILURES => {
                failures += 1;
                writeln!(stderr(), "warning: {}", printable(&error.to_string()))?;
            }
            // A tenant may be followed before its first version.
            Err(error) if error.is_not_found() && from == 0 => {
                if !is_told {
                    writeln!(
                        stderr(),
                        "The tenant {} has no version yet; waiting.",
                        follow.tenant.id()?
                    )?;
                    is_told = true;
                }
            }
            Err(error) => return Err(error.into()),
        }
        if follow.limit.is_some_and(|limit| lines >= limit) {
            return Ok(Exit::Done);
        }
        sleep(Duration::from_secs(follow.interval)).await;
    }
}

fn write(output: Output, from: u64, head: &Head) -> io::Result<()> {
    match output {
        Output::Human => {
            let mut out = stdout();
            writeln!(out, "version {}{}", head.version, details(head))?;
            out.flush()
        }
        Output::Json => {
            let mut out = io::stdout().lock();
            let line = PublishedVersion {
                tenant: &head.tenant,
                from,
                version: head.version.get(),
                head,
            };
            serde_json::to_writer(&mut out, &Document::new(&line))?;
            writeln!(out)?;
            out.flush()
        }
    }
}

fn details(head: &Head) -> String {
    let release = head.provenance.release.as_deref();
    let release = release.map_or_else(String::new, |release| format!(", release {}", printable(release)));
    let (at, terms) = (printable(&head.committed_at), counted(head.totals.terms, "term"));
    format!(" of {at}: {terms}{release}")
}
