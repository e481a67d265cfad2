//! `taxonomy tenant show`.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{Culture, TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Asked, Committed, Configuration, Head, Refusal};

use crate::arguments::{CommonArguments, Output};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{grouped, printable};
use crate::stack::Session;
use crate::time::rfc3339;

/// Show a tenant: its version, its last refused upload, its configuration
///
/// Shows a tenant: its version, its last refused upload, its configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy tenant show acme --output json")]
pub(crate) struct Show {
    /// The tenant
    #[arg(value_name = "TENANT")]
    tenant: TenantId,
    #[command(flatten)]
    common: CommonArguments,
}

/// A tenant in the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'a> {
    tenant: &'a TenantId,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<HeadOf<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedOf<'a>>,
    /// A request that waits for the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<AskedOf<'a>>,
    configuration: ConfigurationOf<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HeadOf<'a> {
    version: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    projected_version: Option<Version>,
    committed_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    projected_at: Option<String>,
    default_culture: &'a Culture,
    fallback_chain: &'a [Culture],
    categories: u64,
    terms: u64,
    /// Whether the content differs from that of the source object, as after a rollback.
    detached: bool,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
}

#[derive(Serialize)]
struct RefusedOf<'a> {
    at: String,
    code: &'a str,
    report: &'a str,
}

#[derive(Serialize)]
struct AskedOf<'a> {
    at: String,
    request: String,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigurationOf<'a> {
    revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_culture: Option<&'a Culture>,
    fallback_chain: &'a [Culture],
    removal_percent: u64,
    removal_terms: u64,
    frozen: bool,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
}

/// Shows a tenant.
///
/// # Errors
/// [`Failure`] when the tenant does not exist or cannot be read.
pub(super) async fn run(show: &Show) -> Result<Exit, Failure> {
    let session = Session::open(&show.common.stack).await?;
    let (head, configuration) = session.heads().await?.read(&show.tenant).await?;
    if head == Head::default() && configuration.revision == 0 {
        return Err(Failure::unable(
            format!("there is no tenant {}", show.tenant),
            "`taxonomy tenant list` lists them.",
        ));
    }
    write(show.common.output, &show.tenant, &head, &configuration)?;
    Ok(Exit::Done)
}

/// Writes a tenant to standard output.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(
    output: Output,
    tenant: &TenantId,
    head: &Head,
    configuration: &Configuration,
) -> io::Result<()> {
    let fields = Shown {
        tenant,
        head: head.committed.as_ref().map(head_of),
        refused: head.refused.as_ref().map(refused_of),
        asked: head.asked.as_ref().map(asked_of),
        configuration: configuration_of(configuration),
    };
    output.write(&fields, |out| tell(out, tenant, head, configuration))
}

fn head_of(head: &Committed) -> HeadOf<'_> {
    HeadOf {
        version: head.version,
        projected_version: head.projected,
        committed_at: rfc3339(head.committed_at),
        projected_at: head.projected.map(|_| rfc3339(head.projected_at)),
        default_culture: &head.settings.default_culture,
        fallback_chain: &head.settings.fallback_chain,
        categories: head.categories,
        terms: head.terms,
        detached: head.detached,
        provenance: &head.provenance,
    }
}

fn refused_of(refused: &Refusal) -> RefusedOf<'_> {
    RefusedOf {
        at: rfc3339(refused.at),
        code: &refused.code,
        report: &refused.report_key,
    }
}

fn asked_of(asked: &Asked) -> AskedOf<'_> {
    AskedOf {
        at: rfc3339(asked.at),
        request: asked.request.to_string(),
        provenance: &asked.provenance,
    }
}

fn configuration_of(configuration: &Configuration) -> ConfigurationOf<'_> {
    ConfigurationOf {
        revision: configuration.revision,
        default_culture: configuration.default_culture.as_ref(),
        fallback_chain: &configuration.fallback_chain,
        removal_percent: configuration.removal_limit.percent,
        removal_terms: configuration.removal_limit.terms,
        frozen: configuration.frozen,
        provenance: &configuration.provenance,
    }
}

fn tell(
    out: &mut dyn Write,
    tenant: &TenantId,
    head: &Head,
    configuration: &Configuration,
) -> io::Result<()> {
    writeln!(out, "tenant            {tenant}")?;
    match &head.committed {
        Some(head) => tell_head(out, head)?,
        None => writeln!(out, "version           none")?,
    }
    if let Some(refused) = &head.refused {
        let (code, at) = (printable(&refused.code), rfc3339(refused.at));
        writeln!(
            out,
            "refused upload    {code} at {at}, {}",
            printable(&refused.report_key)
        )?;
    }
    if let Some(asked) = &head.asked {
        writeln!(
            out,
            "asked             {} at {}",
            asked.request,
            rfc3339(asked.at)
        )?;
    }
    let removal_limit = configuration.removal_limit;
    writeln!(
        out,
        "removal limit     {} % and {} terms",
        removal_limit.percent,
        grouped(removal_limit.terms)
    )?;
    if configuration.frozen {
        writeln!(
            out,
            "frozen            uploads wait: taxonomy tenant thaw {tenant}"
        )?;
    }
    if let Some(culture) = &configuration.default_culture {
        writeln!(out, "configured        default culture {culture}")?;
    }
    let chain: Vec<&str> = configuration.fallback_chain.iter().map(Culture::as_str).collect();
    if !chain.is_empty() {
        writeln!(out, "configured        fallback {}", chain.join(", "))?;
    }
    if let Some(author) = &configuration.provenance.author {
        let revision = configuration.revision;
        writeln!(
            out,
            "configured by     {} (revision {revision})",
            printable(author)
        )?;
    }
    Ok(())
}

fn tell_head(out: &mut dyn Write, head: &Committed) -> io::Result<()> {
    let committed_at = rfc3339(head.committed_at);
    writeln!(
        out,
        "version           {}, served since {committed_at}",
        head.version
    )?;
    match head.projected {
        Some(projected) => {
            let at = rfc3339(head.projected_at);
            writeln!(out, "table             at version {projected} since {at}")?;
        }
        None => writeln!(out, "table             no version is written yet")?,
    }
    writeln!(out, "default culture   {}", head.settings.default_culture)?;
    let chain: Vec<&str> = head.settings.fallback_chain.iter().map(Culture::as_str).collect();
    if !chain.is_empty() {
        writeln!(out, "fallback          {}", chain.join(", "))?;
    }
    writeln!(
        out,
        "content           {} categories, {} terms",
        grouped(head.categories),
        grouped(head.terms)
    )?;
    if head.detached {
        writeln!(
            out,
            "rolled back       the content is not that of the uploaded file"
        )?;
    }
    Ok(())
}
