//! What is due for a tenant, given what is known of it. Pure.

use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::Culture;
use taxonomy_store::{Committed, Configuration, Head, LoadState, Object};

use crate::settings::{effective, judged_under};
use crate::take::VALIDATOR;

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nobody has looked at the object, or not under these settings.
    Take(Object),
    /// The head's content should have other settings, and its file cannot be asked.
    Configure,
    /// This build makes other items.
    Reformat,
    /// The table is behind.
    CatchUp,
    /// Versions lack their index files.
    Index,
    /// Nothing.
    Nothing,
}

/// What was tried in a round before, in vain.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Impossible {
    /// The head's content has not the names that the settings need.
    pub(crate) settings: bool,
    /// An index file could not be built.
    pub(crate) index: bool,
}

/// What is known of a tenant when it is decided what to do.
pub(crate) struct Known<'a> {
    pub(crate) head: &'a Head,
    pub(crate) configuration: &'a Configuration,
    pub(crate) object: Option<&'a Object>,
    pub(crate) stack_culture: &'a Culture,
    pub(crate) max_file_bytes: u64,
    pub(crate) format: u64,
    /// Whether this process's own heartbeat for the head is fresh.
    pub(crate) is_loading: bool,
}

impl Known<'_> {
    /// What is due, but for what has just been found impossible.
    pub(crate) fn due(&self, Impossible { settings, index }: Impossible) -> Due {
        let Some(head) = &self.head.committed else {
            return match self.object {
                Some(object) if self.may_take(object) => Due::Take(object.clone()),
                _ => Due::Nothing,
            };
        };
        // A load that is running or needs another invocation is finished before the next version voids its cursor; uploads that come
        // faster than loads end would else keep readers between two versions for ever.
        let unfinished = head
            .resumes(self.format)
            .is_some_and(|cursor| cursor.state == LoadState::OutOfTime || self.is_loading);
        if unfinished && !head.is_settled() && head.format == self.format {
            return Due::CatchUp;
        }
        let unknown = self.object.filter(|object| !is_source_of(head, object));
        if let Some(object) = unknown.filter(|object| self.may_take(object)) {
            return Due::Take(object.clone());
        }
        let wanted = effective(head, self.configuration, self.stack_culture);
        if head.settings != wanted && !self.configuration.frozen && !settings {
            match self
                .object
                .filter(|object| is_source_of(head, object) && !head.detached)
            {
                Some(object) if self.may_take(object) => return Due::Take(object.clone()),
                Some(_) => {}
                None => return Due::Configure,
            }
        }
        if head.format < self.format {
            Due::Reformat
        } else if !head.is_settled() {
            Due::CatchUp
        } else if !head.is_indexed(INDEX_FORMAT) && !index {
            Due::Index
        } else {
            Due::Nothing
        }
    }

    fn may_take(&self, object: &Object) -> bool {
        !self.configuration.frozen && !self.refused(object)
    }

    /// Whether the object was refused before, by this validator and for reasons that still hold.
    fn refused(&self, object: &Object) -> bool {
        self.head.refused.as_ref().is_some_and(|refused| {
            refused.validator == VALIDATOR
                && (&refused.etag, &refused.version_id) == (&object.etag, &object.version_id)
                && refused.defaults
                    == judged_under(self.configuration, self.stack_culture, self.max_file_bytes)
        })
    }

    /// Whether an upload waits for the end of a freeze.
    pub(crate) fn holds_back(&self) -> bool {
        let known = |object: &Object| {
            let head = self.head.committed.as_ref();
            head.is_some_and(|head| is_source_of(head, object)) || self.refused(object)
        };
        self.configuration.frozen && self.object.is_some_and(|object| !known(object))
    }
}

/// Whether the head knows the object as its source.
pub(crate) fn is_source_of(head: &Committed, object: &Object) -> bool {
    (&head.source.etag, &head.source.version_id) == (&object.etag, &object.version_id)
}
