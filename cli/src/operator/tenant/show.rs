//! `taxonomy tenant show`.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{Attention, Culture, TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Committed, Configuration, Freeze, Head, Line};

use super::change;
use crate::arguments::{CommonArguments, Output, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, grouped, printable};
use crate::provenance::described;
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
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    common: CommonArguments,
}

/// A tenant in the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownTenant<'a> {
    tenant: &'a TenantId,
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<HeadOf<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<RefusedOf<'a>>,
    /// Whether an upload waits until the tenant is thawed.
    waiting: bool,
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
    display_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_culture: Option<&'a Culture>,
    fallback_chain: &'a [Culture],
    removal_percent: u64,
    removal_terms: u64,
    frozen: bool,
    /// Since when and why it is frozen.
    #[serde(skip_serializing_if = "Option::is_none")]
    freeze: Option<FreezeOf<'a>>,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
    /// Since when it is being purged.
    #[serde(skip_serializing_if = "Option::is_none")]
    purging_since: Option<String>,
}

#[derive(Serialize)]
struct FreezeOf<'a> {
    at: String,
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    provenance: &'a Provenance,
}

/// Reads a tenant.
///
/// # Errors
/// [`Failure`] when there is no such tenant, or it cannot be read.
pub(crate) async fn known(session: &Session, tenant: &TenantId) -> Result<(Head, Configuration), Failure> {
    let (head, configuration) = session.heads().await?.read(tenant).await?;
    if head == Head::default() && configuration.revision == 0 {
        return Err(Failure::unable(
            format!("there is no tenant {tenant}"),
            "`taxonomy tenant list` lists the tenants.",
        ));
    }
    Ok((head, configuration))
}

/// Shows a tenant.
///
/// # Errors
/// [`Failure`] when the tenant does not exist or cannot be read.
pub(super) async fn run(show: &Show) -> Result<Exit, Failure> {
    let tenant = show.tenant.id()?;
    let session = Session::open(&show.common.stack).await?;
    let (head, configuration) = known(&session, tenant).await?;
    write(show.common.output, tenant, &head, &configuration)?;
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
    let fields = ShownTenant {
        tenant,
        head: head.committed.as_ref().map(head_of),
        refused: head.refused.as_ref().map(|refused| RefusedOf {
            at: rfc3339(refused.at),
            code: &refused.code,
            report: &refused.report_key,
        }),
        waiting: head.attention == Some(Attention::Waiting),
        asked: head.asked.as_ref().map(|asked| AskedOf {
            at: rfc3339(asked.at),
            request: asked.request.to_string(),
            provenance: &asked.provenance,
        }),
        configuration: configuration_of(configuration),
    };
    output.write(&fields, |out| tell(out, &fields, configuration.frozen.as_ref()))
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

fn configuration_of(configuration: &Configuration) -> ConfigurationOf<'_> {
    ConfigurationOf {
        revision: configuration.revision,
        display_name: configuration.display_name.as_ref().map(Line::as_str),
        description: configuration.description.as_ref().map(Line::as_str),
        default_culture: configuration.default_culture.as_ref(),
        fallback_chain: &configuration.fallback_chain,
        removal_percent: configuration.removal_limit.percent,
        removal_terms: configuration.removal_limit.terms,
        frozen: configuration.frozen.is_some(),
        freeze: configuration.frozen.as_ref().map(|freeze| FreezeOf {
            at: rfc3339(freeze.at),
            provenance: &freeze.provenance,
        }),
        provenance: &configuration.provenance,
        purging_since: configuration.purge.as_ref().map(|purge| rfc3339(purge.at)),
    }
}

fn tell(out: &mut dyn Write, shown: &ShownTenant<'_>, freeze: Option<&Freeze>) -> io::Result<()> {
    let tenant = shown.tenant;
    writeln!(out, "tenant            {tenant}")?;
    let configuration = &shown.configuration;
    if let Some(name) = configuration.display_name {
        writeln!(out, "display name      {}", printable(name))?;
    }
    if let Some(description) = configuration.description {
        writeln!(out, "description       {}", printable(description))?;
    }
    match &shown.head {
        Some(head) => tell_head(out, head)?,
        None => writeln!(out, "version           none")?,
    }
    if let Some(RefusedOf { at, code, .. }) = &shown.refused {
        let code = printable(code);
        writeln!(out, "refused upload    {code} at {at}: taxonomy report {tenant}")?;
    }
    if let Some(AskedOf { at, request, .. }) = &shown.asked {
        writeln!(out, "asked             {request} at {at}")?;
    }
    let (percent, terms) = (
        configuration.removal_percent,
        grouped(configuration.removal_terms),
    );
    writeln!(out, "removal limit     {percent} % and {terms} terms")?;
    match (&configuration.purging_since, freeze) {
        (Some(since), _) => writeln!(
            out,
            "purging           since {since}: taxonomy tenant purge {tenant}"
        )?,
        (None, Some(freeze)) => {
            let freeze = change::described(freeze);
            writeln!(out, "frozen            {freeze}: taxonomy tenant thaw {tenant}")?;
        }
        (None, None) => {}
    }
    if shown.waiting {
        writeln!(
            out,
            "waiting           the newest upload, until the tenant is thawed"
        )?;
    }
    if let Some(culture) = configuration.default_culture {
        writeln!(out, "configured        default culture {culture}")?;
    }
    if let Some(chain) = joined(configuration.fallback_chain) {
        writeln!(out, "configured        fallback {chain}")?;
    }
    if let Some(author) = &configuration.provenance.author {
        let (author, revision) = (printable(author), configuration.revision);
        writeln!(out, "configured by     {author} (revision {revision})")?;
    }
    Ok(())
}

fn tell_head(out: &mut dyn Write, head: &HeadOf<'_>) -> io::Result<()> {
    let (version, committed_at) = (head.version, &head.committed_at);
    let provenance = described(head.provenance);
    writeln!(
        out,
        "version           {version}, served since {committed_at}{provenance}"
    )?;
    match (head.projected_version, &head.projected_at) {
        (Some(projected), Some(at)) => {
            writeln!(out, "table             at version {projected} since {at}")?;
        }
        _ => writeln!(out, "table             no version is written yet")?,
    }
    writeln!(out, "default culture   {}", head.default_culture)?;
    if let Some(chain) = joined(head.fallback_chain) {
        writeln!(out, "fallback          {chain}")?;
    }
    let (categories, terms) = (counted(head.categories, "category"), counted(head.terms, "term"));
    writeln!(out, "content           {categories}, {terms}")?;
    if head.detached {
        writeln!(
            out,
            "rolled back       the content is not that of the uploaded file"
        )?;
    }
    Ok(())
}

/// The cultures of a chain that has any.
fn joined(chain: &[Culture]) -> Option<String> {
    let chain: Vec<&str> = chain.iter().map(Culture::as_str).collect();
    (!chain.is_empty()).then(|| chain.join(", "))
}
