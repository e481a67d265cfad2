//! The arguments that say where a version comes from.

use clap::Args;
use taxonomy_model::Provenance;

use crate::failure::Failure;

/// Kept with the version: release, author and reason.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProvenanceArguments {
    /// The release that the version belongs to
    #[arg(long, value_name = "TEXT", env = "TAXONOMY_RELEASE", hide_env_values = true)]
    release: Option<String>,
    /// The author of the version [default: the AWS identity]
    #[arg(long, value_name = "TEXT", env = "TAXONOMY_AUTHOR", hide_env_values = true)]
    author: Option<String>,
    /// The reason for the version
    #[arg(long, value_name = "TEXT", env = "TAXONOMY_REASON", hide_env_values = true)]
    reason: Option<String>,
}

impl ProvenanceArguments {
    /// Returns the texts as the service keeps them.
    pub(crate) fn given(&self) -> Provenance {
        Provenance::of(|name| match name {
            "release" => self.release.clone(),
            "author" => self.author.clone(),
            _ => self.reason.clone(),
        })
    }

    /// The same for an upload, whose object metadata is ASCII.
    ///
    /// # Errors
    /// [`Failure::Usage`] for other texts.
    pub(crate) fn checked_for_upload(&self) -> Result<Provenance, Failure> {
        let given = self.given();
        for text in [&given.release, &given.author, &given.reason]
            .into_iter()
            .flatten()
        {
            if !text.is_ascii() {
                return Err(Failure::Usage(format!(
                    "`{text}` is not ASCII, which S3 takes alone as metadata of an upload"
                )));
            }
        }
        Ok(given)
    }
}
