//! One tenant brought to rest: its newest valid file committed, under its settings, in this build's format, and the table at the head.
//!
//! The head is read before the source. With a source that was read before the head, a slow invocation could commit an older file
//! on top of a newer one although its compare-and-set succeeds. And the table is always caught up, also when the source is
//! unchanged: an earlier invocation may have died between its commit and its last write.

use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_model::changeset::Cause;
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Configuration, Head, Sabotage};
use tracing::{info, warn};

use crate::catch_up::CaughtUp;
use crate::deadline::Deadline;
use crate::due::{Due, Impossible, Known};
use crate::error::ProtocolError;
use crate::heartbeat::{Deferral, Loading, loading};
use crate::indexing::Indexing;
use crate::settings::effective;
use crate::taxonomies::Taxonomies;

/// A tenant whose file changes while it is looked at needs another round; one that still does after so many comes again
/// by the retry queue.
const ROUNDS: u32 = 10;

/// How far a tenant was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is left to do.
    AtRest,
    /// Another process is loading the tenant. A message has to be sent before the event is acknowledged.
    Deferred(Deferral),
    /// Time is up.
    Unfinished {
        /// Whether this time anything was done that the next need not do again.
        further: bool,
    },
}

impl<C: Clock> Taxonomies<C> {
    /// Brings a tenant to rest, or as far as time allows. A tenant at rest costs two reads and no write.
    ///
    /// # Errors
    /// [`ProtocolError`]; what was done until then stays, and doing it again completes it.
    pub async fn reconcile(&self, tenant: &TenantId, deadline: Deadline) -> Result<Outcome, ProtocolError> {
        let (mut further, mut impossible) = (false, Impossible::default());
        for round in 0..ROUNDS {
            if deadline.is_over(&self.clock) {
                return Ok(Outcome::Unfinished { further });
            }
            let early = match Sabotage::SourceBeforeHead.is_on() {
                true => Some(self.sources.find(tenant).await?),
                false => None,
            };
            let (head, configuration) = self.heads.read(tenant).await?;
            if configuration.purge.is_some() {
                info!(%tenant, "the tenant is being purged");
                return Ok(Outcome::AtRest);
            }
            let format = self.format();
            if let Some(newer) = head.committed.as_ref().filter(|head| head.format > format) {
                return Err(ProtocolError::NewerFormat(newer.format));
            }
            let loading = head.committed.as_ref().map_or(Loading::Idle, |head| {
                loading(head, format, &self.process, || self.clock.now_ms())
            });
            if let Loading::Theirs(deferral) = loading {
                info!(%tenant, version = deferral.version.get(), "another process is loading the tenant");
                return Ok(Outcome::Deferred(deferral));
            }
            let object = match early {
                Some(object) => object,
                None => self.sources.find(tenant).await?,
            };
            let known = Known {
                head: &head,
                configuration: &configuration,
                object: object.as_ref(),
                stack_culture: &self.bounds.default_culture,
                max_file_bytes: self.bounds.max_file_bytes,
                format,
                is_loading: loading == Loading::Mine,
            };
            let due = match known.due(impossible) {
                Due::CatchUp if Sabotage::ReturnWhenUnchanged.is_on() && round == 0 => Due::Nothing,
                due => due,
            };
            if round == 0 {
                self.count(Metric::Frozen, u64::from(known.holds_back()));
            }
            let seen = Seen {
                tenant,
                head: &head,
                configuration: &configuration,
                deadline,
            };
            match self.act(seen, due, &mut impossible).await {
                Ok(Acted::Done(more)) => further |= more,
                Ok(Acted::OutOfTime(more)) => {
                    let further = further || more;
                    return Ok(Outcome::Unfinished { further });
                }
                // A body for which time does not suffice.
                Err(ProtocolError::OutOfTime) => return Ok(Outcome::Unfinished { further }),
                Err(error) => return Err(error),
                Ok(Acted::Nothing) => {
                    if round == 0 {
                        self.count(Metric::Unchanged, 1);
                        info!(%tenant, frozen = configuration.frozen, refused = head.refused.is_some(), "at rest");
                    }
                    return Ok(Outcome::AtRest);
                }
            }
        }
        Err(ProtocolError::Restless(ROUNDS))
    }

    /// Does what is due.
    async fn act(
        &self,
        seen: Seen<'_>,
        due: Due,
        impossible: &mut Impossible,
    ) -> Result<Acted, ProtocolError> {
        let Seen {
            tenant,
            head,
            configuration,
            deadline,
        } = seen;
        Ok(match (due, &head.committed) {
            (Due::Take(object), _) => {
                Acted::Done(self.take(tenant, head, configuration, &object, deadline).await?)
            }
            (Due::Configure, Some(committed)) => {
                let settings = effective(committed, configuration, &self.bounds.default_culture);
                let wanted = (settings, configuration.provenance.clone());
                match self.reconfigure(tenant, committed, wanted, deadline).await {
                    Ok(done) => Acted::Done(done),
                    Err(ProtocolError::Refused(report)) => {
                        warn!(%tenant, errors = report.errors, "the head cannot take the configured settings");
                        impossible.settings = true;
                        Acted::Done(false)
                    }
                    Err(error) => return Err(error),
                }
            }
            (Due::Reformat, Some(committed)) => {
                let why = (Cause::Format, Provenance::default());
                Acted::Done(self.again(tenant, committed, why, deadline).await?)
            }
            (Due::CatchUp, Some(committed)) => match self.catch_up(tenant, committed, deadline).await? {
                CaughtUp::Settled => Acted::Done(true),
                CaughtUp::Overtaken => Acted::Done(false),
                CaughtUp::Stopped { further } => Acted::OutOfTime(further),
            },
            (Due::Index, Some(committed)) => match self.index(tenant, committed, deadline).await {
                Indexing::Done => {
                    let noted = self
                        .heads
                        .note_indexed(tenant, committed, committed.version, INDEX_FORMAT)
                        .await?;
                    Acted::Done(noted)
                }
                Indexing::Nothing => Acted::Nothing,
                Indexing::OutOfTime { further } => Acted::OutOfTime(further),
                Indexing::Failed => {
                    impossible.index = true;
                    Acted::Done(false)
                }
            },
            _ => Acted::Nothing,
        })
    }
}

/// A tenant as a round sees it.
struct Seen<'a> {
    tenant: &'a TenantId,
    head: &'a Head,
    configuration: &'a Configuration,
    deadline: Deadline,
}

/// The result of a round.
enum Acted {
    /// Something was due; true when anything was done that need not be done again.
    Done(bool),
    /// Time is up; the same.
    OutOfTime(bool),
    /// Nothing was due.
    Nothing,
}
