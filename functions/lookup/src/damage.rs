//! Terms of which some are damaged in the table: each fails alone, and not the others of its batch.

use std::collections::HashMap;

use taxonomy_keys::{Culture, TermId};
use taxonomy_model::stored::StoredTerm;
use tracing::error;

use crate::problem::Problem;
use crate::serving::{Serving, Stored};

/// The most damaged terms of a batch. With more the table is damaged as a whole, and the batch fails: each one takes several requests.
const MOST_DAMAGED: usize = 10;

/// The terms of a batch that were read, and the problems of those that cannot be.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) found: HashMap<TermId, Stored<StoredTerm>>,
    pub(crate) damaged: HashMap<TermId, Problem>,
}

impl Batch {
    /// Reads terms as [`Serving::terms`] does. Where one is damaged, halves of them are read until it is alone; the cache keeps the others.
    ///
    /// # Errors
    /// A problem of the read, and of a damaged term where there are more than [`MOST_DAMAGED`].
    pub(crate) async fn read(
        serving: &Serving<'_>,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<Self, Problem> {
        let mut batch = Self::default();
        let mut open = vec![ids];
        while let Some(ids) = open.pop() {
            match (serving.terms(ids, order).await, ids) {
                (Ok(found), _) => batch.found.extend(found),
                (Err(problem), [id]) if problem.is_damage() => batch.damages(serving, *id, problem)?,
                (Err(problem), _) if problem.is_damage() => {
                    let (first, second) = ids.split_at(ids.len() / 2);
                    open.extend([second, first]);
                }
                (Err(problem), _) => return Err(problem),
            }
        }
        Ok(batch)
    }

    /// Records a damaged term, and logs it: its batch is answered.
    ///
    /// # Errors
    /// The problem, where there are too many of them.
    pub(crate) fn damages(
        &mut self,
        serving: &Serving<'_>,
        id: TermId,
        problem: Problem,
    ) -> Result<(), Problem> {
        if self.damaged.len() == MOST_DAMAGED {
            return Err(problem);
        }
        let (tenant, cause) = (serving.tenant(), problem.cause().unwrap_or_default());
        error!(%tenant, term = id.get(), cause, "the stored item of term {id} is damaged");
        self.damaged.insert(id, problem);
        Ok(())
    }
}
