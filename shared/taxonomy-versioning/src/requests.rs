//! Requests of operators: a command asks, the projector carries it out, and the command follows the answer.

pub(crate) mod configure;
pub(crate) mod rebuild;
pub(crate) mod repair;
pub(crate) mod rollback;

use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;
use taxonomy_runtime::causes;
use taxonomy_store::{Answer, Answered, Asked, Committed, Request};
use tracing::{info, warn};

use crate::error::VersioningError;
use crate::plan::TenantState;
use crate::reconcile::Round;
use crate::service::{Service, boxed};

impl Service {
    /// Asks the projector for something, onto the present head. The projector finds the request by the next event or sweep.
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`], [`VersioningError::UnknownVersion`], [`VersioningError::NewerFormat`]; [`VersioningError::Asked`] if another
    /// request waits for its answer; [`VersioningError::Overtaken`] if the head moved meanwhile.
    pub async fn ask(
        &self,
        tenant: &TenantId,
        request: Request,
        provenance: Provenance,
    ) -> Result<Asked, VersioningError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        crate::history::unless_purging(&configuration)?;
        let Some(committed) = head.committed else {
            return Err(self.without_head(tenant).await?);
        };
        self.check_format(Some(&committed))?;
        if let Request::Rollback { to } = request
            && to > committed.version
        {
            return Err(VersioningError::UnknownVersion(to));
        }
        if let Some(asked) = head.asked {
            return Err(VersioningError::Asked(Box::new(asked)));
        }
        let asked = Asked {
            id: format!("{:016x}", fastrand::u64(..)),
            request,
            onto: committed.version,
            changeset: committed.changeset,
            provenance,
            at: self.clock.now_ms(),
        };
        if self.heads.ask(tenant, &asked).await? {
            return Ok(asked);
        }
        // It may have been this request, whose response was lost, and by now it may be answered.
        let (head, _) = self.heads.read(tenant).await?;
        if head.answered.is_some_and(|answered| answered.id == asked.id) {
            return Ok(asked);
        }
        match head.asked {
            Some(waiting) if waiting == asked => Ok(asked),
            Some(other) => Err(VersioningError::Asked(Box::new(other))),
            None => Err(VersioningError::Overtaken),
        }
    }

    /// Returns the answer to a request: that a version has what was asked for, or that everything was examined. `None` while the request waits for its
    /// answer.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if another version was committed first; [`VersioningError::RefusedRequest`] with the report's key, if the content
    /// is invalid under the present settings; [`VersioningError::Failed`] if it cannot be carried out.
    pub async fn answer(&self, tenant: &TenantId, asked: &Asked) -> Result<Option<Answer>, VersioningError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        crate::history::unless_purging(&configuration)?;
        if head.asked.as_ref().is_some_and(|waiting| waiting.id == asked.id) {
            return Ok(None);
        }
        let answered = head.answered.filter(|answered| answered.id == asked.id);
        // The answer to a later request replaced that of this one.
        let unknown =
            || VersioningError::Failed("its answer was replaced by that of a later request".to_owned());
        match answered.ok_or_else(unknown)?.answer {
            answer @ (Answer::Committed { .. } | Answer::Repaired { .. }) => Ok(Some(answer)),
            Answer::Overtaken => Err(VersioningError::Overtaken),
            Answer::Refused { report } => Err(VersioningError::RefusedRequest(report)),
            Answer::Failed { reason } => Err(VersioningError::Failed(reason)),
        }
    }

    /// Carries out a request, or answers why not.
    pub(crate) async fn carry_out(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        asked: &Asked,
    ) -> Result<Round, VersioningError> {
        let tenant = state.tenant;
        if let Request::Repair { partitions } = &asked.request {
            return match boxed(|| self.repair(state, head, asked, partitions)).await {
                // The tenant changed meanwhile, and the next round goes on.
                Err(VersioningError::Overtaken) => Ok(Round::Done(false)),
                repaired => repaired,
            };
        }
        if (head.version, &head.changeset) != (asked.onto, &asked.changeset) {
            let answered = self.answer_with(tenant, asked, Answer::Overtaken).await;
            return answered.map(Round::Done);
        }
        let carried_out = match asked.request {
            Request::Rollback { to } => self.roll_back(state, head, to, asked).await,
            _ => self.commit_again(state, head, Some(asked)).await.map(Some),
        };
        let answer = match carried_out {
            Ok(Some(committed)) => return Ok(Round::Done(committed)),
            Ok(None) => Answer::Committed {
                version: head.version,
            },
            Err(VersioningError::Refused(report)) => Answer::Refused {
                report: self.archive.put_report(tenant, &asked.id, &*report).await?,
            },
            Err(error) if error.is_permanent() => Answer::Failed {
                reason: causes(&error),
            },
            Err(error) => return Err(error),
        };
        self.answer_with(tenant, asked, answer).await.map(Round::Done)
    }

    pub(crate) async fn answer_with(
        &self,
        tenant: &TenantId,
        asked: &Asked,
        answer: Answer,
    ) -> Result<bool, VersioningError> {
        match &answer {
            Answer::Committed { .. } => info!(%tenant, request = asked.id, ?answer, "a request is answered"),
            _ => warn!(%tenant, request = asked.id, ?answer, "a request is answered"),
        }
        let answered = Answered {
            id: asked.id.clone(),
            answer,
            at: self.clock.now_ms(),
        };
        Ok(self.heads.answer(tenant, &answered).await?)
    }
}
