//! The arguments that describe the origin of a version.

use clap::Args;
use taxonomy_model::Provenance;

use crate::failure::Failure;
use crate::output::printable;

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
    /// Returns the arguments as the provenance that the service stores.
    pub(crate) fn given(&self) -> Provenance {
        Provenance::new(|name| match name {
            "release" => self.release.clone(),
            "author" => self.author.clone(),
            _ => self.reason.clone(),
        })
    }

    /// Returns the provenance of an upload. The metadata of an S3 object must be ASCII.
    ///
    /// # Errors
    /// [`Failure::Usage`] when a text is not ASCII.
    pub(crate) fn checked_for_upload(&self) -> Result<Provenance, Failure> {
        let given = self.given();
        for text in [&given.release, &given.author, &given.reason]
            .into_iter()
            .flatten()
        {
            if !text.is_ascii() {
                return Err(Failure::Usage(format!(
                    "`{text}` is not ASCII, and S3 accepts only ASCII as metadata of an upload"
                )));
            }
        }
        Ok(given)
    }
}

/// Returns release, author and reason for the end of a line.
pub(crate) fn described(provenance: &Provenance) -> String {
    let Provenance {
        release,
        author,
        reason,
    } = provenance;
    let texts = [("release", release), ("by", author), ("because", reason)].into_iter();
    texts
        .filter_map(|(word, text)| Some(format!("  {word} {}", printable(text.as_deref()?))))
        .collect()
}
