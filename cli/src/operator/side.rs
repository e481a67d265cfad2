//! An operand of `diff` and `export`: a version or a file.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{Defaults, Taxonomy};
use taxonomy_versioning::Service;

use crate::arguments::{Configured, Output, version};
use crate::failure::Failure;
use crate::file::MAX_BYTES;
use crate::stack::{Session, StackArguments};
use crate::upstream::tenant_state::defaults;
use crate::upstream::validate::read_and_warn;

/// A version or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Side {
    Version(Version),
    File(PathBuf),
}

impl Side {
    /// The file, if it is one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Version(_) => None,
            Self::File(path) => Some(path),
        }
    }
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

/// The readers of both kinds of sides: the versions of a tenant, and files under its configuration or under the given one.
pub(super) struct Sides<'t> {
    tenant: Option<(Service, &'t TenantId)>,
    defaults: Defaults,
    output: Output,
}

impl<'t> Sides<'t> {
    /// Reads versions of a tenant, and files under its configuration; without a tenant files only.
    ///
    /// # Errors
    /// [`Failure`] when the stack cannot be read.
    pub(super) async fn open(
        tenant: Option<&'t TenantId>,
        stack: &StackArguments,
        configured: &Configured,
        output: Output,
    ) -> Result<Self, Failure> {
        let Some(tenant) = tenant else {
            return Ok(Self {
                tenant: None,
                defaults: configured.defaults(),
                output,
            });
        };
        let session = Session::open(stack).await?;
        let service = session.service().await?;
        let configuration = service.configuration(tenant).await?;
        Ok(Self {
            tenant: Some((service, tenant)),
            defaults: defaults(&configuration, session.default_culture().await?),
            output,
        })
    }

    /// Returns the tenant and the service that reads its versions.
    ///
    /// # Errors
    /// [`Failure::Usage`] when no tenant was given.
    pub(super) fn versions(&self) -> Result<(&Service, &'t TenantId), Failure> {
        let named = self.tenant.as_ref().map(|(service, tenant)| (service, *tenant));
        named.ok_or_else(|| Failure::usage("a version needs `--tenant`"))
    }

    /// Reads a side, and shows the first warnings of a file on standard error.
    ///
    /// # Errors
    /// [`Failure`] when the side cannot be read, the version does not exist, or the file is invalid.
    pub(super) async fn read(&self, side: &Side) -> Result<Taxonomy, Failure> {
        match side {
            Side::Version(version) => {
                let (service, tenant) = self.versions()?;
                Ok(service.state(tenant, *version).await?.taxonomy)
            }
            Side::File(path) => {
                let file = read_and_warn(path, MAX_BYTES, self.defaults.clone(), self.output);
                Ok(file.await?.taxonomy)
            }
        }
    }
}
