//! The arguments that select a stack and an identity. Every command that reads a stack has them. Arguments and environment variables
//! override the configuration file.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;
use taxonomy_runtime::env;

use crate::failure::Failure;
use crate::file;

/// The default name of a stack: the one in `samconfig.toml`.
const DEFAULT_STACK: &str = "taxonomy";

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
    pub(crate) auth: Option<AuthMode>,
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

    /// Returns the arguments, completed by the configuration file.
    ///
    /// # Errors
    /// [`Failure::Read`] when the configuration file cannot be read, [`Failure::Configuration`] when its content is invalid.
    pub(crate) fn with_file(&self) -> Result<Self, Failure> {
        let file = match &self.config {
            Some(path) => Self::read(path)?,
            None => match default_file()?.filter(|path| path.exists()) {
                Some(path) => Self::read(&path)?,
                None => Self::default(),
            },
        };
        Ok(self.clone().over(file, is_set))
    }

    /// Returns the name of the stack.
    pub(crate) fn name(&self) -> &str {
        self.stack.as_deref().unwrap_or(DEFAULT_STACK)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let text = file::text(path)?;
        toml::from_str(&text).map_err(|cause| Failure::configuration(path, cause))
    }

    /// Returns these arguments, completed by those of the file that neither they nor the environment set.
    fn over(self, file: Self, is_set: impl Fn(&[&'static str]) -> bool) -> Self {
        let unless_set = |value: Option<String>, names| value.filter(|_| !is_set(names));
        let profile = unless_set(file.profile, &["AWS_PROFILE", "AWS_ACCESS_KEY_ID"]);
        let region = unless_set(file.region, &["AWS_REGION", "AWS_DEFAULT_REGION"]);
        let endpoint_url = unless_set(file.endpoint_url, &["AWS_ENDPOINT_URL"]);
        Self {
            stack: self.stack.or(file.stack),
            outputs: self.outputs.or(file.outputs),
            profile: self.profile.or(profile),
            region: self.region.or(region),
            endpoint_url: self.endpoint_url.or(endpoint_url),
            api_url: self.api_url.or(file.api_url),
            auth: self.auth.or(file.auth),
            config: self.config,
        }
    }
}

/// The authentication of requests to the HTTP API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AuthMode {
    /// Signed with AWS credentials
    Iam,
    /// With the JWT in the environment variable TAXONOMY_TOKEN
    Token,
    /// Not at all, which only a local stack accepts
    None,
}

/// Returns whether any of these environment variables is set. The AWS SDK reads the values itself.
fn is_set(names: &[&'static str]) -> bool {
    // A value that is not valid text counts as set: the SDK refuses it.
    names.iter().any(|name| !matches!(env::optional(name), Ok(None)))
}

fn default_file() -> Result<Option<PathBuf>, Failure> {
    let configuration = match env::optional("XDG_CONFIG_HOME")? {
        Some(folder) => Some(PathBuf::from(folder)),
        None => env::optional("HOME")?.map(|home| PathBuf::from(home).join(".config")),
    };
    Ok(configuration.map(|folder| folder.join("taxonomy").join("config.toml")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_count_more_than_the_file_and_an_unknown_setting_is_refused() {
        let file: StackArguments =
            toml::from_str("stack = \"a\"\nregion = \"eu-west-1\"\nauth = \"token\"").unwrap();
        let arguments = StackArguments {
            stack: Some("b".to_owned()),
            auth: Some(AuthMode::None),
            ..StackArguments::default()
        };
        let merged = arguments.clone().over(file.clone(), |_| false);
        assert_eq!(merged.name(), "b");
        assert_eq!(merged.region.as_deref(), Some("eu-west-1"));
        assert_eq!(merged.auth, Some(AuthMode::None));
        let merged = arguments.over(file, |names| names.contains(&"AWS_DEFAULT_REGION"));
        assert_eq!(merged.region, None, "the SDK reads the environment's");
        assert_eq!(StackArguments::default().name(), "taxonomy");
        let read: Result<StackArguments, _> = toml::from_str("stak = \"a\"");
        assert!(read.unwrap_err().to_string().contains("stak"));
    }
}
