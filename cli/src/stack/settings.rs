//! The settings of a stack. Arguments and environment variables override the configuration file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use taxonomy_runtime::env;

use crate::failure::Failure;
use crate::file;
use crate::stack::arguments::{Auth, StackArguments};

/// The default name of a stack: the one in `samconfig.toml`.
const DEFAULT_STACK: &str = "taxonomy";

/// The settings of a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Settings {
    stack: Option<String>,
    /// A file with the outputs of the stack.
    pub(crate) outputs: Option<PathBuf>,
    /// The profile of `--profile`, which overrides credentials in the environment.
    #[serde(skip)]
    pub(crate) explicit_profile: Option<String>,
    /// The profile of the configuration file, which credentials or a profile in the environment override.
    pub(crate) profile: Option<String>,
    /// The AWS region.
    pub(crate) region: Option<String>,
    /// The address of every AWS service and of the HTTP API.
    pub(crate) endpoint_url: Option<String>,
    /// The address of the HTTP API.
    pub(crate) api_url: Option<String>,
    /// The authentication of requests to the HTTP API.
    pub(crate) auth: Option<Auth>,
}

impl Settings {
    /// Merges the arguments and the configuration file.
    ///
    /// # Errors
    /// [`Failure::Read`] when the configuration file cannot be read, [`Failure::Configuration`] when its content is invalid.
    pub(crate) fn new(arguments: &StackArguments) -> Result<Self, Failure> {
        let file = match &arguments.config {
            Some(path) => Self::read(path)?,
            None => match default_file()?.filter(|path| path.exists()) {
                Some(path) => Self::read(&path)?,
                None => Self::default(),
            },
        };
        Ok(file.under(arguments, is_set))
    }

    /// Returns the name of the stack.
    pub(crate) fn stack(&self) -> &str {
        self.stack.as_deref().unwrap_or(DEFAULT_STACK)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let text = file::text(path)?;
        toml::from_str(&text).map_err(|cause| Failure::Configuration {
            path: path.to_owned(),
            cause: Box::new(cause),
        })
    }

    /// Returns these settings of the file, overridden by the arguments and the environment.
    fn under(self, arguments: &StackArguments, is_set: impl Fn(&[&'static str]) -> bool) -> Self {
        let StackArguments {
            stack,
            outputs,
            profile,
            region,
            endpoint_url,
            api_url,
            auth,
            config: _,
        } = arguments.clone();
        Self {
            stack: stack.or(self.stack),
            outputs: outputs.or(self.outputs),
            explicit_profile: profile,
            profile: self
                .profile
                .filter(|_| !is_set(&["AWS_PROFILE", "AWS_ACCESS_KEY_ID"])),
            region: region.or(self
                .region
                .filter(|_| !is_set(&["AWS_REGION", "AWS_DEFAULT_REGION"]))),
            endpoint_url: endpoint_url.or(self.endpoint_url.filter(|_| !is_set(&["AWS_ENDPOINT_URL"]))),
            api_url: api_url.or(self.api_url),
            auth: auth.or(self.auth),
        }
    }
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
    fn arguments_count_more_than_the_file() {
        let file: Settings =
            toml::from_str("stack = \"a\"\nregion = \"eu-west-1\"\nauth = \"token\"").unwrap();
        let arguments = StackArguments {
            stack: Some("b".to_owned()),
            auth: Some(Auth::None),
            ..StackArguments::default()
        };
        let merged = file.clone().under(&arguments, |_| false);
        assert_eq!(merged.stack(), "b");
        assert_eq!(merged.region.as_deref(), Some("eu-west-1"));
        assert_eq!(merged.auth, Some(Auth::None));
        let merged = file.under(&arguments, |names| names.contains(&"AWS_DEFAULT_REGION"));
        assert_eq!(merged.region, None, "the SDK reads the environment's");
        assert_eq!(Settings::default().stack(), "taxonomy");
    }

    #[test]
    fn an_unknown_setting_is_refused() {
        let read: Result<Settings, _> = toml::from_str("stak = \"a\"");
        assert!(read.unwrap_err().to_string().contains("stak"));
    }
}
