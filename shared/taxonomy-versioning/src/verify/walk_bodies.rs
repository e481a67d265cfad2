//! The bodies of the versions of a walk: content and snapshot, and the changeset, each by what is left of the others.

use taxonomy_model::changeset::{Changeset, Header};
use taxonomy_model::{Census, Hash, Taxonomy, apply, diff, facts_between, touched};
use taxonomy_store::{Object, Packed, StoreError, UnlessLost as _};

use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::verify::Examination;
use crate::verify::compare::Comparison;
use crate::verify::difference::{Difference, Found};
use crate::verify::walk::Step;

/// The content of a version, proven by its state hash.
pub(super) struct Content {
    pub(super) taxonomy: Taxonomy,
    format: u32,
    packed: Packed,
}

impl Examination<'_> {
    /// Returns the content of a version: by its changeset, from its snapshot, or from its index file. `None` where none of them has it.
    pub(super) async fn content(
        &self,
        comparison: &mut Comparison<'_>,
        step: Step<'_>,
        changeset: Option<&Changeset>,
    ) -> Result<Option<Content>, VersioningError> {
        let applied = changeset.and_then(|changeset| applied(step, changeset));
        match applied {
            Some(Ok(content)) => return Ok(Some(content)),
            Some(Err(wrong)) => {
                let object = self.service.archive.object(&step.entry.changeset_key);
                let difference = Difference::object(object, Found::Altered, wrong);
                comparison.leave(difference, "its id names it as it is");
            }
            None => {}
        }
        let of = StoredVersion::from(step.entry);
        let stored = self.service.archive.snapshot(&of.snapshot_key, &of.state).await;
        let stored = match stored.unless_lost()? {
            Ok(taxonomy) => Some(taxonomy),
            Err(_) => self.service.content_of_index(self.tenant, &of).await?,
        };
        stored.map_or(Ok(None), |taxonomy| self.proven(taxonomy, &of.state))
    }

    /// Returns a content in the projection format in which it has this state hash; `None` for another content.
    fn proven(&self, taxonomy: Taxonomy, state: &Hash) -> Result<Option<Content>, VersioningError> {
        for format in (1..=self.service.config.projection_format).rev() {
            let packed = Packed::snapshot(&taxonomy, format)?;
            if packed.hash == *state {
                return Ok(Some(Content {
                    taxonomy,
                    format,
                    packed,
                }));
            }
        }
        Ok(None)
    }

    /// Compares the snapshot of a version with its content, and returns that.
    pub(super) async fn compare_snapshot(
        &self,
        comparison: &mut Comparison<'_>,
        step: Step<'_>,
        content: Option<Content>,
    ) -> Result<Option<(Taxonomy, u32)>, VersioningError> {
        let (key, state) = (&step.entry.snapshot_key, &step.entry.state);
        let Some(Content {
            taxonomy,
            format,
            packed,
        }) = content
        else {
            let lost = self.service.archive.snapshot(key, state).await;
            if let Err(lost) = lost.unless_lost()? {
                let difference = Difference::lost(self.service.archive.object(key), &lost);
                comparison.leave(difference, "neither its index file nor the changesets lead to it");
            }
            return Ok(None);
        };
        let before = step.before.filter(|before| before.content.is_some());
        // A rebuild shares the snapshot of the version before.
        if before.is_none_or(|before| before.entry.snapshot_key != *key) {
            comparison.object(&Object::snapshot(key.clone(), packed)).await?;
        }
        Ok(Some((taxonomy, format)))
    }

    /// Compares the changeset of a version, which is lost, with that from the content before to its own, and returns it; `None` where they do not lead to
    /// its id.
    pub(super) async fn compare_changeset(
        &self,
        comparison: &mut Comparison<'_>,
        step: Step<'_>,
        content: Option<&(Taxonomy, u32)>,
        lost: &StoreError,
    ) -> Result<Option<Changeset>, VersioningError> {
        let object = self.service.archive.object(&step.entry.changeset_key);
        let difference = Difference::lost(object, lost);
        let (Some((new, format)), Some(old)) = (content, step.old()) else {
            let why = "the content of the version or of the one before is lost too";
            comparison.leave(difference, why);
            return Ok(None);
        };
        let header = self.header(step, old, new, *format);
        let (packed, _) = Packed::changeset(&header, facts_between(old, new))?;
        if packed.hash != step.entry.changeset {
            comparison.leave(difference, "the contents lead to another id");
            return Ok(None);
        }
        comparison.object(&Object::changeset(&header, packed)).await?;
        let facts = diff(old, new);
        Ok(Some(Changeset { header, facts }))
    }

    /// Returns the header of a changeset between two contents.
    fn header(
        &self,
        step: Step<'_>,
        old: Option<&Taxonomy>,
        new: &Taxonomy,
        projection_format: u32,
    ) -> Header {
        let Step { entry, before } = step;
        Header {
            tenant: self.tenant.clone(),
            version: entry.version,
            parent: entry.parent.clone(),
            cause: entry.cause.clone(),
            provenance: entry.provenance.clone(),
            full: entry.full,
            before: before.map(|before| before.entry.state.clone()),
            after: entry.state.clone(),
            projection_format,
            census: Census::new(new),
            changes: entry.changes,
            touched: Some(touched(old, new)),
        }
    }
}

/// Applies a changeset to the content before, and returns the content of its version, or what is wrong with it; `None` where the content before is lost.
fn applied(step: Step<'_>, Changeset { header, facts }: &Changeset) -> Option<Result<Content, String>> {
    let (old, before) = (step.old()?, step.before.map(|before| &before.entry));
    let follows = (
        before.map(|before| &before.changeset),
        before.map(|before| &before.state),
    );
    if (header.parent.as_ref(), header.before.as_ref()) != follows {
        return Some(Err("it does not follow the version before".to_owned()));
    }
    let format = header.projection_format;
    let applied = apply(old, facts).map_err(|error| error.to_string());
    Some(applied.and_then(|taxonomy| {
        let packed = Packed::snapshot(&taxonomy, format).map_err(|error| error.to_string())?;
        match (
            packed.hash == header.after,
            Census::new(&taxonomy) == header.census,
        ) {
            (false, _) => Err("its facts lead to another state".to_owned()),
            (true, false) => Err("it counts otherwise than its facts".to_owned()),
            (true, true) => Ok(Content {
                taxonomy,
                format,
                packed,
            }),
        }
    }))
}
