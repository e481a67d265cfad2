//! The settings of a stack: flags and environment count more than the configuration file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use taxonomy_runtime::env;

use crate::failure::Failure;
use crate::stack::arguments::{Auth, StackArguments};

/// The stack that is meant where none is named: the one of `samconfig.toml`.
const DEFAULT_STACK: &str = "taxonomy";

/// The settings of a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Settings {
    stack: Option<String>,
    /// A file with the outputs of the stack.
    pub(crate) outputs: Option<PathBuf>,
    /// The AWS profile.
    pub(crate) profile: Option<String>,
    /// The AWS region.
    pub(crate) region: Option<String>,
    /// The address of everything.
    pub(crate) endpoint_url: Option<String>,
    /// The address of the HTTP API.
    pub(crate) api_url: Option<String>,
    /// How its requests are authenticated.
    pub(crate) auth: Option<Auth>,
}

impl Settings {
    /// Merges arguments and configuration file.
    ///
    /// # Errors
    /// [`Failure::Read`] when the file that is named cannot be read, [`Failure::Configuration`] when it is not of the form.
    pub(crate) fn of(arguments: &StackArguments) -> Result<Self, Failure> {
        let file = match &arguments.config {
            Some(path) => Self::read(path)?,
            None => match default_file()?.filter(|path| path.exists()) {
                Some(path) => Self::read(&path)?,
                None => Self::default(),
            },
        };
        Ok(file.under(arguments))
    }

    /// The name of the stack.
    pub(crate) fn stack(&self) -> &str {
        self.stack.as_deref().unwrap_or(DEFAULT_STACK)
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        toml::from_str(&text).map_err(|cause| Failure::Configuration {
            path: path.to_owned(),
            cause: Box::new(cause),
        })
    }

    fn under(self, arguments: &StackArguments) -> Self {
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
            profile: profile.or(self.profile),
            region: region.or(self.region),
            endpoint_url: endpoint_url.or(self.endpoint_url),
            api_url: api_url.or(self.api_url),
            auth: auth.or(self.auth),
        }
    }
}

fn default_file() -> Result<Option<PathBuf>, Failure> {
    let configuration = match env::optional("XDG_CONFIG_HOME")? {
        Some(folder) => Some(PathBuf::from(folder)),
        None => env::optional("HOME")?.map(|home| PathBuf::from(home).join(".config")),
    };
    Ok(configuration.map(|folder| folder.join("taxonomy").join("config.toml")))
}

/// Reads a file whole, for errors that name it.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|cause: io::Error| Failure::Read {
        path: path.to_owned(),
        cause,
    })
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
        let merged = file.under(&arguments);
        assert_eq!(merged.stack(), "b");
        assert_eq!(merged.region.as_deref(), Some("eu-west-1"));
        assert_eq!(merged.auth, Some(Auth::None));
        assert_eq!(Settings::default().stack(), "taxonomy");
    }

    #[test]
    fn an_unknown_setting_is_refused() {
        let read: Result<Settings, _> = toml::from_str("stak = \"a\"");
        assert!(read.unwrap_err().to_string().contains("stak"));
    }
}
