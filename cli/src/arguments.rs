//! The arguments that several commands share. The comments on them are the text of `--help`.

use std::io::{self, Write};

use clap::{Args, ValueEnum};
use serde::Serialize;
use taxonomy_keys::{Culture, TenantId, TermId, Version};
use taxonomy_model::Defaults;

use crate::failure::Failure;
use crate::output::{print_document, stdout};
use crate::stack::StackArguments;

/// The arguments of most commands that read a stack.
#[derive(Debug, Args)]
pub(crate) struct CommonArguments {
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) stack: StackArguments,
}

/// The tenant that a command is about, named by its place or by `--tenant`, as for every other command.
#[derive(Debug, Args)]
#[group(id = "subject", required = true, multiple = false)]
pub(crate) struct SubjectTenant {
    /// The tenant
    #[arg(value_name = "TENANT", id = "place")]
    place: Option<TenantId>,
    /// The same by its name, as other commands have it
    #[arg(long, value_name = "TENANT", id = "tenant")]
    tenant: Option<TenantId>,
}

impl SubjectTenant {
    /// Returns its id.
    ///
    /// # Errors
    /// Never: one of the two is required.
    pub(crate) fn id(&self) -> Result<&TenantId, Failure> {
        let named = self.place.as_ref().or(self.tenant.as_ref());
        named.ok_or_else(|| Failure::usage("name the tenant"))
    }
}

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
    /// One JSON document, for programs
    Json,
}

impl Output {
    /// Writes to standard output: a document of `fields`, or what `human` writes.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(crate) fn write(
        self,
        fields: &impl Serialize,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Human => human(&mut stdout()),
            Self::Json => print_document(fields),
        }
    }
}

/// The least severity that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
}

/// Parses an id in a place where a tenant could be meant.
///
/// # Errors
/// A sentence for the person who typed it.
pub(crate) fn id(text: &str) -> Result<TermId, String> {
    let most = TermId::MAX;
    let told = || format!("an id is a whole number from 0 to {most}; `--tenant` names the tenant");
    text.parse().map_err(|_| told())
}

/// Parses a version, of which the first is 1.
///
/// # Errors
/// A sentence for the person who typed it.
pub(crate) fn version(text: &str) -> Result<Version, String> {
    let version = text.parse().ok().and_then(Version::new);
    version.ok_or_else(|| "a version is a number from 1".to_owned())
}
