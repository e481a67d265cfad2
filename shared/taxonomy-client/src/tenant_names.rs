//! The HTTP API as the source of an expander.

use taxonomy_keys::{Culture, TermId};

use crate::answers::{BatchItem, FinalNames};
use crate::error::ClientError;
use crate::expander::{Answer, Source};
use crate::tenant::Tenant;

/// The names of a tenant's terms in a culture, for an [`Expander`](crate::expander::Expander). The expander remembers names itself, so the
/// client needs no cache.
#[derive(Debug, Clone)]
pub struct TenantNames {
    tenant: Tenant,
    culture: Option<Culture>,
}

impl Tenant {
    /// The names of the terms, in the tenant's default culture without another one.
    pub fn names(&self, culture: Option<Culture>) -> TenantNames {
        TenantNames {
            tenant: self.clone(),
            culture,
        }
    }
}

impl Source for TenantNames {
    type Error = ClientError;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, ClientError> {
        let items = self.tenant.batch(ids, self.culture.as_ref()).await?.items;
        // A term that the service cannot read is not one that it does not know.
        let unread = items.iter().find(|item| !matches!(item.status, 200 | 404));
        if let Some(problem) = unread.and_then(|item| item.problem.clone()) {
            return Err(ClientError::Problem(Box::new(problem)));
        }
        // The oldest, in case they differ: the expander asks again for names that are older than others.
        let terms = items
            .iter()
            .filter_map(|item: &BatchItem<FinalNames>| item.term.as_ref());
        let version = terms.map(|term| term.version.get()).min();
        Ok(Answer {
            version,
            terms: items.into_iter().map(names).collect(),
        })
    }

    async fn version(&self) -> Result<u64, ClientError> {
        let head = self.tenant.head().await?;
        Ok(head.version.get())
    }
}

/// The FinalName of a term, then those of its ancestors.
fn names(item: BatchItem<FinalNames>) -> Option<Vec<String>> {
    let FinalNames {
        final_name,
        ancestors,
        ..
    } = item.term?;
    let above = ancestors.into_iter().map(|ancestor| ancestor.final_name);
    Some(std::iter::once(final_name).chain(above).collect())
}
