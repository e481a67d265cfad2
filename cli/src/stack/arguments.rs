//! The arguments that select a stack and an identity. Every command that reads a stack has them.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;

/// The selected stack and identity, as the arguments or the configuration file name them.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[command(next_help_heading = "Stack")]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct StackArguments {
    /// The name of the CloudFormation stack, whose outputs name its parts [default: taxonomy]
    #[arg(long, value_name = "NAME", env = "TAXONOMY_STACK", hide_env_values = true)]
    pub(crate) stack: Option<String>,
    /// A file with the outputs of the stack, instead of reading CloudFormation: `sam list stack-outputs --output json`
    #[arg(long, value_name = "FILE", env = "TAXONOMY_OUTPUTS", hide_env_values = true)]
    pub(crate) outputs: Option<PathBuf>,
    /// The profile of the AWS configuration files
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The AWS region
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// The address of every AWS service and of the HTTP API, such as a local emulator
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
    /// The address of the HTTP API, such as a domain of your own [default: the output ApiUrl]
    #[arg(long, value_name = "URL", env = "TAXONOMY_API_URL", hide_env_values = true)]
    pub(crate) api_url: Option<String>,
    /// How requests to the HTTP API are authenticated; `token` takes a JWT from TAXONOMY_TOKEN [default: the output AuthMode]
    #[arg(long, value_name = "MODE", env = "TAXONOMY_AUTH", hide_env_values = true)]
    pub(crate) auth: Option<Auth>,
    /// The configuration file [default: taxonomy/config.toml in the user's configuration folder]
    #[arg(long, value_name = "FILE", env = "TAXONOMY_CONFIG", hide_env_values = true)]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
}

impl StackArguments {
    /// The files that the arguments name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.outputs, &self.config]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
    }
}

/// The authentication of requests to the HTTP API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Auth {
    /// Signed with AWS credentials
    Iam,
    /// With the JWT in the environment variable TAXONOMY_TOKEN
    Token,
    /// Not at all, which only a local stack accepts
    None,
}
