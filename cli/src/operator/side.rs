//! A version or a file, as a person names one.

use std::path::PathBuf;
use std::str::FromStr;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Defaults, Taxonomy};
use taxonomy_protocol::Taxonomies;
use taxonomy_runtime::SystemClock;

use crate::arguments::{Configured, version};
use crate::blocking;
use crate::failure::Failure;
use crate::stack::Session;
use crate::upstream::validate::{Validated, validate};

/// A version or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    Version(Version),
    File(PathBuf),
}

impl FromStr for Side {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Self::File(text.into()));
        }
        version(text).map(Self::Version)
    }
}

/// Where sides are read: the versions of a tenant, and files under its configuration or under the one that was named.
pub(super) struct Sides<'t> {
    tenant: Option<(Taxonomies<SystemClock>, &'t TenantId)>,
    defaults: Defaults,
}

impl<'t> Sides<'t> {
    /// The versions of a tenant, and files under its configuration.
    ///
    /// # Errors
    /// [`Failure`] when the stack cannot be asked.
    pub(super) async fn of_tenant(session: &Session, tenant: &'t TenantId) -> Result<Self, Failure> {
        let taxonomies = session.taxonomies().await?;
        let configuration = taxonomies.configuration(tenant).await?;
        let defaults = Defaults {
            tenant_culture: configuration.default_culture,
            stack_culture: session.default_culture().await?,
            fallback_chain: configuration.fallback_chain,
        };
        Ok(Self {
            tenant: Some((taxonomies, tenant)),
            defaults,
        })
    }

    /// Files alone.
    pub(super) fn files(configured: &Configured) -> Self {
        Self {
            tenant: None,
            defaults: configured.defaults(),
        }
    }

    /// The tenant, with its versions.
    ///
    /// # Errors
    /// [`Failure::Usage`] where no tenant was named.
    pub(super) fn versions(&self) -> Result<(&Taxonomies<SystemClock>, &'t TenantId), Failure> {
        let named = self
            .tenant
            .as_ref()
            .map(|(taxonomies, tenant)| (taxonomies, *tenant));
        named.ok_or_else(|| Failure::Usage("a version needs `--tenant`".to_owned()))
    }

    /// Reads a side; a file that is invalid leaves its report.
    ///
    /// # Errors
    /// [`Failure`] when it cannot be read, or there is no such version.
    pub(super) async fn read(&self, side: &Side) -> Result<Result<Taxonomy, Validated>, Failure> {
        match side {
            Side::Version(version) => {
                let (taxonomies, tenant) = self.versions()?;
                Ok(Ok(taxonomies.state(tenant, *version).await?.taxonomy))
            }
            Side::File(path) => {
                let (path, defaults) = (path.clone(), self.defaults.clone());
                Ok(match blocking::run(move || validate(&path, &defaults)).await? {
                    (Some(taxonomy), _) => Ok(taxonomy),
                    (None, refused) => Err(refused),
                })
            }
        }
    }
}
