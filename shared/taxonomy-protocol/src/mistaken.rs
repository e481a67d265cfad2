//! The mistakes of [`Sabotage`] that take more than a condition left out. Never in a function.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::{CategoryCounts, Census};
use taxonomy_store::{Sabotage, StoreError};

use crate::tally::{Step, Tallied, Tally};

/// Adds what a version added, and takes away what it removed.
pub(crate) async fn add(tally: &Tally, tenant: &TenantId, to: Version) -> Result<Tallied, StoreError> {
    let changes = tally.entry(tenant, to).await?.changes;
    let by = changes.added.cast_signed() - changes.removed.cast_signed();
    tally.aggregates.add_terms(tenant, to, by).await?;
    Ok(Tallied::default())
}

/// Writes only categories that count otherwise than in the version everything stands at. One that goes up in one version and down
/// again in the next is left to a late writer.
pub(crate) async fn leave_out_what_counts_the_same(
    tally: &Tally,
    tenant: &TenantId,
    at: Option<Version>,
    mut step: Step,
) -> Result<Step, StoreError> {
    if !Sabotage::OnlyWhatCountsOtherwise.is_on() {
        return Ok(step);
    }
    let before = match at {
        Some(at) => {
            tally
                .header(&tally.entry(tenant, at).await?, tenant)
                .await?
                .census
        }
        None => Census::default(),
    };
    let of = |census: &Census, id: u64| -> Option<CategoryCounts> {
        census
            .categories
            .iter()
            .find(|category| category.id == id)
            .cloned()
    };
    step.touched
        .retain(|id, _| of(&before, *id) != of(&step.census, *id));
    Ok(step)
}
