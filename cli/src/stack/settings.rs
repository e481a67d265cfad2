//! The settings of a stack. Arguments and environment variables override the configuration file.

use std::path::{Path, PathBuf};

use taxonomy_runtime::env;

use crate::failure::Failure;
use crate::file;
use crate::stack::arguments::StackArguments;

/// The default name of a stack: the one in `samconfig.toml`.
const DEFAULT_STACK: &str = "taxonomy";

impl StackArguments {
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
    use crate::stack::arguments::Auth;

    #[test]
    fn arguments_count_more_than_the_file() {
        let file: StackArguments =
            toml::from_str("stack = \"a\"\nregion = \"eu-west-1\"\nauth = \"token\"").unwrap();
        let arguments = StackArguments {
            stack: Some("b".to_owned()),
            auth: Some(Auth::None),
            ..StackArguments::default()
        };
        let merged = arguments.clone().over(file.clone(), |_| false);
        assert_eq!(merged.name(), "b");
        assert_eq!(merged.region.as_deref(), Some("eu-west-1"));
        assert_eq!(merged.auth, Some(Auth::None));
        let merged = arguments.over(file, |names| names.contains(&"AWS_DEFAULT_REGION"));
        assert_eq!(merged.region, None, "the SDK reads the environment's");
        assert_eq!(StackArguments::default().name(), "taxonomy");
    }

    #[test]
    fn an_unknown_setting_is_refused() {
        let read: Result<StackArguments, _> = toml::from_str("stak = \"a\"");
        assert!(read.unwrap_err().to_string().contains("stak"));
    }
}
