//! Putting items right: each as it was seen, on condition that the head is still the one that was read.

use taxonomy_keys::TenantId;
use taxonomy_runtime::causes;
use taxonomy_store::{Committed, Replacement};

use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::difference::{Difference, Findings, Mending};

/// The most items of one transaction, which takes a hundred and four megabytes; a largest item has 400 kilobytes.
const BATCH: usize = 9;

/// The time to live of a void item, in seconds: as that of the tombstone of a culture.
pub(crate) const VOID_SECONDS: u64 = 30 * 24 * 60 * 60;

/// Notes the differences of items, and mends them if it may.
pub(crate) struct Mender<'a> {
    pub(crate) service: &'a Service,
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    /// Whether it mends.
    pub(crate) mends: bool,
    pending: Vec<(Difference, Replacement)>,
}

impl<'a> Mender<'a> {
    pub(crate) fn new(service: &'a Service, tenant: &'a TenantId, head: &'a Committed, mends: bool) -> Self {
        Self {
            service,
            tenant,
            head,
            mends,
            pending: Vec::new(),
        }
    }

    /// Returns the expiry of a void item that is written now, in epoch seconds.
    pub(crate) fn expires_at(&self) -> u64 {
        self.service.clock.now_ms() / 1000 + VOID_SECONDS
    }

    /// Notes a difference; without a replacement it is left.
    pub(crate) async fn take(
        &mut self,
        findings: &mut Findings,
        difference: Difference,
        replacement: Replacement,
    ) -> Result<(), VersioningError> {
        if !self.mends {
            findings.note(difference);
            return Ok(());
        }
        self.pending.push((difference, replacement));
        match self.pending.len() < BATCH {
            true => Ok(()),
            false => self.flush(findings).await,
        }
    }

    /// Mends what was taken.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the head is another one by now.
    pub(crate) async fn flush(&mut self, findings: &mut Findings) -> Result<(), VersioningError> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        let all: Vec<Replacement> = pending
            .iter()
            .map(|(_, replacement)| replacement.clone())
            .collect();
        if let Ok(true) = self.replace(&all).await {
            for (difference, _) in pending {
                findings.note(difference.with(Mending::Mended));
            }
            return Ok(());
        }
        let now = self.service.committed(self.tenant).await?;
        let id = |head: &Committed| (head.version, head.changeset.clone(), head.projected);
        if id(&now) != id(self.head) {
            return Err(VersioningError::Overtaken);
        }
        for (difference, replacement) in pending {
            let mending = match self.replace(&[replacement]).await {
                Ok(true) => Mending::Mended,
                Ok(false) => Mending::Left("it changed at the same time".to_owned()),
                Err(VersioningError::Store(error)) if error.is_permanent() => Mending::Left(causes(&error)),
                Err(error) => return Err(error),
            };
            findings.note(difference.with(mending));
        }
        Ok(())
    }

    async fn replace(&self, replacements: &[Replacement]) -> Result<bool, VersioningError> {
        let heads = &self.service.heads;
        Ok(heads.replace(self.tenant, self.head, replacements).await?)
    }
}
