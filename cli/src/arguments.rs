//! The arguments that several commands share. The comments on them are the text of `--help`.

use clap::{Args, ValueEnum};
use taxonomy_keys::{Culture, Version};
use taxonomy_model::Defaults;

/// The configuration of the stack and the tenant that a file is read under.
#[derive(Debug, Args)]
pub(crate) struct Configured {
    /// The default culture where neither the file nor the tenant names one: the stack's parameter `DefaultCulture`
    #[arg(
        long,
        value_name = "TAG",
        default_value = "en-GB",
        env = "TAXONOMY_DEFAULT_CULTURE",
        hide_env_values = true
    )]
    pub(crate) default_culture: Culture,
    /// The default culture of the tenant, which overrides the file's
    #[arg(long, value_name = "TAG")]
    pub(crate) tenant_culture: Option<Culture>,
    /// The tenant's fallback chain, tried before the default culture
    #[arg(long, value_name = "TAG,..", value_delimiter = ',')]
    pub(crate) fallback: Vec<Culture>,
}

impl Configured {
    /// Returns the configuration in the validator's form.
    pub(crate) fn defaults(&self) -> Defaults {
        Defaults {
            tenant_culture: self.tenant_culture.clone(),
            stack_culture: self.default_culture.clone(),
            fallback_chain: self.fallback.clone(),
        }
    }
}

/// A form of the output of most commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For reading
    Human,
    /// One document, described in docs/decisions/0013-command-line.md
    Json,
}

/// The least severity that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
}

/// Parses a version, of which the first is 1.
///
/// # Errors
/// A sentence for the person who typed it.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    let version = text.parse().ok().and_then(Version::new);
    version.ok_or_else(|| "versions count from 1".to_owned())
}
