//! Reconciling a tenant: afterwards its newest valid file is committed, under its settings and in this build's format, and the table is at the
//! head.
//!
//! The head is read before the source. With a source that was read before the head, a slow invocation could commit an older file over a newer
//! one although its compare-and-set succeeds. The table is always projected, also when the source is unchanged: an earlier invocation may have
//! died between its commit and its last write.

use taxonomy_keys::{Attention, TenantId};
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{Configuration, Head, TenantItems, UnlessLost as _};
use tracing::{error, info, warn};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::plan::{Action, Impossible, TenantState};
use crate::restore::tenant::is_beyond;
use crate::service::{Service, boxed};

/// The maximum number of rounds. A tenant whose file changes during a round needs another one; a tenant that changes in every round is delivered again by the
/// retry queue.
const ROUNDS: u32 = 10;

/// The outcome of a reconcile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is left to do, or another process is doing it.
    AtRest,
    /// The time is over.
    Unfinished {
        /// Whether this call made progress that the next one need not repeat.
        further: bool,
    },
}

impl Service {
    /// Reconciles a tenant, as far as the time allows. A tenant at rest costs two reads and no write.
    ///
    /// # Errors
    /// [`VersioningError`]; completed work stays, and another call continues it.
    pub async fn reconcile(&self, tenant: &TenantId, deadline: Deadline) -> Result<Outcome, VersioningError> {
        let (mut further, mut impossible) = (false, Impossible::default());
        for round in 0..ROUNDS {
            if deadline.is_over(&*self.clock) {
                return Ok(Outcome::Unfinished { further });
            }
            let items = self.heads.items(tenant).await?;
            let Some((head, configuration)) = self.sound(tenant, &items).await? else {
                // Head or configuration are missing, malformed, or contradict the log.
                further |= boxed(|| self.restore_tenant(tenant, &items)).await?;
                continue;
            };
            if configuration.purge.is_some() {
                info!(%tenant, "the tenant is being purged");
                return Ok(Outcome::AtRest);
            }
            self.check_format(head.committed.as_ref())?;
            let object = self.sources.find(tenant).await?;
            let state = TenantState {
                tenant,
                head: &head,
                configuration: &configuration,
                object: object.as_ref(),
                config: &self.config,
                deadline,
            };
            let action = state.next_action(impossible);
            if round == 0 {
                self.metrics.count(Metric::Frozen, u64::from(state.holds_back()));
            }
            match self.act(state, action, &mut impossible).await {
                Ok(Round::Done(more)) => further |= more,
                Ok(Round::OutOfTime(more)) => {
                    let further = further || more;
                    return Ok(Outcome::Unfinished { further });
                }
                // What is lost or damaged may be what a wrong head names.
                Err(error) if error.is_damage() => {
                    match boxed(|| self.restore_tenant(tenant, &items)).await {
                        Ok(true) => further = true,
                        Ok(false) | Err(_) => return Err(error),
                    }
                }
                // The time does not suffice for a body.
                Err(VersioningError::OutOfTime) => return Ok(Outcome::Unfinished { further }),
                Err(error) => return Err(error),
                Ok(Round::Left) => return Ok(Outcome::AtRest),
                Ok(Round::Others) => {}
                // Something changed meanwhile, or another transaction was under way: the next round sees what is true.
                Ok(Round::Nothing) if !self.list_at_rest(state).await? => {
                    self.metrics.count(Metric::ConditionalRetry, 1);
                }
                Ok(Round::Nothing) => {
                    if round == 0 {
                        self.metrics.count(Metric::Unchanged, 1);
                        info!(%tenant, frozen = configuration.frozen.is_some(), refused = head.refused.is_some(), "at rest");
                    }
                    return Ok(Outcome::AtRest);
                }
            }
        }
        // Others change the tenant faster than this process plans.
        Ok(Outcome::Unfinished { further: true })
    }

    /// Returns head and configuration of a tenant, unless one of them is malformed, or missing although the other or the log is there, or the head counts
    /// itself projected beyond its version.
    async fn sound(
        &self,
        tenant: &TenantId,
        items: &TenantItems,
    ) -> Result<Option<(Head, Configuration)>, VersioningError> {
        let Ok((head, configuration)) = items.parsed().unless_lost()? else {
            return match items.is_purging() {
                true => Err(VersioningError::Purging),
                false => Ok(None),
            };
        };
        let is_sound = match &head.committed {
            _ if configuration.purge.is_some() => true,
            Some(committed) => items.configuration.is_some() && !is_beyond(committed),
            // A refused upload leaves a head without a version.
            None => head.refused.is_some() || self.heads.newest(tenant).await?.is_empty(),
        };
        Ok(is_sound.then_some((head, configuration)))
    }

    /// Executes an action.
    async fn act(
        &self,
        state: TenantState<'_>,
        action: Action,
        impossible: &mut Impossible,
    ) -> Result<Round, VersioningError> {
        let tenant = state.tenant;
        Ok(match (action, state.committed()) {
            (Action::Answer(asked), Some(head)) => {
                let round = self.carry_out(state, head, &asked).await?;
                impossible.repair |= matches!(round, Round::Others);
                round
            }
            (Action::Ingest(object), _) => Round::Done(self.ingest(state, &object).await?),
            (Action::Configure, Some(head)) => match self.reconfigure(state, head).await {
                Ok(done) => Round::Done(done),
                Err(error @ (VersioningError::Refused(_) | VersioningError::Unbuildable(_))) => {
                    warn!(%tenant, error = causes(&error), "the head cannot take the configured settings");
                    impossible.settings = true;
                    Round::Done(false)
                }
                Err(error) => return Err(error),
            },
            (Action::Reformat, Some(head)) => match self.commit_again(state, head, None).await {
                Ok(done) => Round::Done(done),
                Err(error @ VersioningError::Unbuildable(_)) => {
                    error!(%tenant, error = causes(&error), "the head stays in its format");
                    impossible.format = true;
                    Round::Done(false)
                }
                Err(error) => return Err(error),
            },
            (Action::Project, Some(head)) => self.project(state, head).await?,
            _ => Round::Nothing,
        })
    }

    /// Lists a tenant at rest for what needs attention, where the list says otherwise: a load ended without its process, a request was answered, or the
    /// upload that waited is gone. Returns false if the tenant could not be listed.
    async fn list_at_rest(&self, state: TenantState<'_>) -> Result<bool, VersioningError> {
        let is_behind =
            state.committed().is_some_and(|head| !head.is_settled()) || state.head.asked.is_some();
        let attention = is_behind.then_some(Attention::Behind).or(state.attention());
        if state.head.attention == attention {
            return Ok(true);
        }
        let revision = state.configuration.revision;
        let listed = self
            .heads
            .list_at_rest(state.tenant, state.head, revision, attention);
        Ok(listed.await?)
    }
}

/// The outcome of a round.
pub(crate) enum Round {
    /// An action was executed, or another process changed something first; whether this one made progress that need not be repeated.
    Done(bool),
    /// The time is over; the same flag.
    OutOfTime(bool),
    /// Nothing may be done now: another process loads the tenant, or a load that cannot succeed is not yet given up.
    Left,
    /// Another process repairs the tenant; whatever else there is to do is done meanwhile.
    Others,
    /// There was nothing to do.
    Nothing,
}
