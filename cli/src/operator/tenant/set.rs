//! `taxonomy tenant set`.

use clap::Args;
use taxonomy_keys::Culture;
use taxonomy_store::{Configuration, Description, DisplayName, RemovalLimit};

use super::{change, show};
use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::provenance::ProvenanceArguments;
use crate::stack::Session;

/// Change the configuration of a tenant
///
/// Changes the configuration of a tenant. Names in another default culture are written as a new version; a display name or a description makes none,
/// and is in the list of tenants within a moment.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy tenant set acme --name 'Acme shop' --description 'Categories of the shop, updated weekly'
  taxonomy tenant set acme --default-culture fr-FR --fallback en-GB,de-DE
  taxonomy tenant set acme --removal-percent 10 --removal-terms 100
  taxonomy tenant set acme --no-default-culture")]
pub(crate) struct Set {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    settings: NewSettings,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct NewSettings {
    /// The name that people read, at most 100 characters
    #[arg(long, value_name = "TEXT")]
    name: Option<DisplayName>,
    /// Show the id instead of a name
    #[arg(long, conflicts_with = "name")]
    no_name: bool,
    /// What the taxonomy is, at most 500 characters
    #[arg(long, value_name = "TEXT")]
    description: Option<Description>,
    /// Remove the description
    #[arg(long, conflicts_with = "description")]
    no_description: bool,
    /// The default culture, which overrides the file's
    #[arg(long, value_name = "TAG")]
    default_culture: Option<Culture>,
    /// Let the file or the stack name the default culture
    #[arg(long, conflicts_with = "default_culture")]
    no_default_culture: bool,
    /// The cultures that are tried before the default, at most ten
    #[arg(long, value_name = "TAG,..", value_delimiter = ',')]
    fallback: Option<Vec<Culture>>,
    /// Try no culture before the default
    #[arg(long, conflicts_with = "fallback")]
    no_fallback: bool,
    /// Refuse an upload that removes more than so many percent of the terms, and more than `--removal-terms`
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(0..=100))]
    removal_percent: Option<u64>,
    /// See `--removal-percent`
    #[arg(long, value_name = "TERMS")]
    removal_terms: Option<u64>,
}

impl NewSettings {
    fn apply(&self, configuration: &mut Configuration) {
        if self.no_name || self.name.is_some() {
            configuration.display_name.clone_from(&self.name);
        }
        if self.no_description || self.description.is_some() {
            configuration.description.clone_from(&self.description);
        }
        if self.no_default_culture {
            configuration.default_culture = None;
        } else if let Some(culture) = &self.default_culture {
            configuration.default_culture = Some(culture.clone());
        }
        if self.no_fallback {
            configuration.fallback_chain = Vec::new();
        } else if let Some(chain) = &self.fallback {
            configuration.fallback_chain = chain.clone();
        }
        let RemovalLimit { percent, terms } = configuration.removal_limit;
        configuration.removal_limit = RemovalLimit {
            percent: self.removal_percent.unwrap_or(percent),
            terms: self.removal_terms.unwrap_or(terms),
        };
    }
}

/// Changes the configuration, and sends the projector a message to commit the version that follows from it.
///
/// # Errors
/// [`Failure`] when the content lacks names in the new culture, or the configuration cannot be written.
pub(super) async fn run(set: &Set) -> Result<Exit, Failure> {
    let tenant = set.tenant.id()?;
    let session = Session::open(&set.common.stack).await?;
    let provenance = session.provenance(set.provenance.given()).await?;
    let service = session.service().await?;
    let apply = |configuration: &mut Configuration| set.settings.apply(configuration);
    let changed = change::apply(&service, tenant, &provenance, apply).await?;
    session.ask_for_tenant(tenant).await?;
    let (head, _) = service.heads.read(tenant).await?;
    show::write(set.common.output, tenant, &head, &changed.after)?;
    Ok(Exit::Done)
}
