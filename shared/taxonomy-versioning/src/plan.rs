//! The next action of a tenant, derived from its state. Pure.

use taxonomy_keys::{Attention, TenantId};
use taxonomy_store::{Asked, Committed, Configuration, Head, RepairStep, SourceObject};

use crate::deadline::Deadline;
use crate::ingest::settings::{effective, judged_under};
use crate::service::ServiceConfig;

/// The version of the validation. A higher one makes the projector process files again that an older one refused.
pub(crate) const VALIDATOR: u64 = 2;

/// The next action of a tenant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Carry out the request of an operator, or answer that it is overtaken.
    Answer(Asked),
    /// Ingest the source object: it has not been processed under the current settings.
    Ingest(SourceObject),
    /// Commit the head's content under other settings, because its source object is gone.
    Configure,
    /// Commit the head's content in the projection format of this build.
    Reformat,
    /// Project the head: the table is behind it.
    Project,
    /// Nothing.
    Nothing,
}

/// Actions that failed in an earlier round of this reconcile.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Impossible {
    /// The head's content lacks names that the settings require.
    pub(crate) settings: bool,
    /// The files of the head's content cannot be built in this format.
    pub(crate) format: bool,
    /// Another process repairs the tenant.
    pub(crate) repair: bool,
}

/// The state of a tenant as one round reads it.
#[derive(Clone, Copy)]
pub(crate) struct TenantState<'a> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Head,
    pub(crate) configuration: &'a Configuration,
    pub(crate) object: Option<&'a SourceObject>,
    pub(crate) config: &'a ServiceConfig,
    /// The end of the invocation that acts on it.
    pub(crate) deadline: Deadline,
}

impl<'a> TenantState<'a> {
    /// Returns the head; `None` before the first version.
    pub(crate) fn committed(&self) -> Option<&'a Committed> {
        self.head.committed.as_ref()
    }

    /// Returns the next action that is not impossible.
    pub(crate) fn next_action(
        &self,
        Impossible {
            settings,
            format,
            repair,
        }: Impossible,
    ) -> Action {
        let asked = self
            .head
            .asked
            .as_ref()
            .filter(|asked| !(repair && asked.is_repair()));
        if let Some(asked) = asked.filter(|asked| !self.has_repaired_files(asked)) {
            return Action::Answer(asked.clone());
        }
        let Some(head) = &self.head.committed else {
            return match self.object {
                Some(object) if self.may_take(object) => Action::Ingest(object.clone()),
                _ => Action::Nothing,
            };
        };
        let unknown = self.object.filter(|object| !is_source_of(head, object));
        if let Some(object) = unknown.filter(|object| self.may_take(object)) {
            return Action::Ingest(object.clone());
        }
        let wanted = effective(head, self.configuration, &self.config.default_culture);
        if head.settings != wanted && self.configuration.frozen.is_none() && !settings {
            match self
                .object
                .filter(|object| is_source_of(head, object) && !head.detached)
            {
                Some(object) if self.may_take(object) => return Action::Ingest(object.clone()),
                Some(_) => {}
                None => return Action::Configure,
            }
        }
        match head.format < u64::from(self.config.projection_format) {
            true if format => Action::Nothing,
            true => Action::Reformat,
            false if !head.is_settled() => Action::Project,
            // The rest of a repair, once the table has its newest version.
            false => asked.cloned().map_or(Action::Nothing, Action::Answer),
        }
    }

    /// Whether a repair has its files done, so that it goes on after uploads and loads.
    fn has_repaired_files(&self, asked: &Asked) -> bool {
        let note = self.head.repair.as_ref().filter(|note| note.id == asked.id);
        note.is_some_and(|note| note.step == RepairStep::Items)
    }

    /// Returns what needs attention where nothing is left to do but the load: the most urgent reason.
    pub(crate) fn attention(&self) -> Option<Attention> {
        match self.holds_back() {
            true => Some(Attention::Waiting),
            false => self.head.refused.as_ref().map(|_| Attention::Refused),
        }
    }

    fn may_take(&self, object: &SourceObject) -> bool {
        self.configuration.frozen.is_none() && !self.refused(object)
    }

    /// Whether the object was refused by this validator, for reasons that still hold.
    fn refused(&self, object: &SourceObject) -> bool {
        self.head.refused.as_ref().is_some_and(|refused| {
            refused.validator == VALIDATOR
                && (&refused.etag, &refused.version_id) == (&object.etag, &object.version_id)
                && refused.defaults == judged_under(self.configuration, self.config)
        })
    }

    /// Whether an upload waits for the end of a freeze.
    pub(crate) fn holds_back(&self) -> bool {
        let known = |object: &SourceObject| {
            let head = self.head.committed.as_ref();
            head.is_some_and(|head| is_source_of(head, object)) || self.refused(object)
        };
        self.configuration.frozen.is_some() && self.object.is_some_and(|object| !known(object))
    }
}

/// Returns whether the object is the source of the head.
pub(crate) fn is_source_of(head: &Committed, object: &SourceObject) -> bool {
    (&head.source.etag, &head.source.version_id) == (&object.etag, &object.version_id)
}

/// Returns the milliseconds for which items or a request have waited. A time of the future counts by its distance: whoever wrote it has a wrong clock,
/// and would raise no alarm otherwise.
pub fn behind_ms(head: &Head, now: u64) -> u64 {
    let committed = head.committed.as_ref().filter(|head| !head.is_settled());
    let since = committed.map(|head| head.committed_at).into_iter();
    let since = since.chain(head.asked.as_ref().map(|asked| asked.at));
    since.map(|since| now.abs_diff(since)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use taxonomy_keys::Version;
    use taxonomy_model::{Hash, Provenance};
    use taxonomy_store::Request;

    use super::*;

    #[test]
    fn a_time_of_the_future_raises_the_age_like_one_of_the_past() {
        let asked = |at| Head {
            asked: Some(Asked {
                id: "1".to_owned(),
                request: Request::Rebuild,
                onto: Version::FIRST,
                changeset: Hash::digest(b""),
                provenance: Provenance::default(),
                at,
            }),
            ..Head::default()
        };
        assert_eq!(behind_ms(&Head::default(), 5_000), 0);
        assert_eq!(behind_ms(&asked(3_000), 5_000), 2_000);
        assert_eq!(behind_ms(&asked(9_000), 5_000), 4_000);
        assert_eq!(behind_ms(&asked(u64::MAX), 5_000), u64::MAX - 5_000);
    }
}
