//! Negative controls: mistakes that are made on purpose, each of which a proof has to notice.

use std::fmt::Debug;
use std::sync::Mutex;

use crate::effort::spread;

/// A mistake that is made in this thread while this lives.
#[derive(Debug)]
pub struct Made<M> {
    set: fn(Option<M>),
}

impl<M> Made<M> {
    /// From now on; `set` is what makes a mistake, or none.
    pub fn now(set: fn(Option<M>), mistake: M) -> Self {
        set(Some(mistake));
        Self { set }
    }
}

impl<M> Drop for Made<M> {
    fn drop(&mut self) {
        (self.set)(None);
    }
}

/// The mistakes that were noticed, in their order, each with how many seeds that took, and what is to be said of the others. `notice` says
/// after how many seeds, and by what.
pub fn noticed<M: Copy + Debug + PartialEq + Send + Sync>(
    all: &[M],
    notice: impl AsyncFn(M) -> Result<(u64, String), String> + Sync,
) -> (Vec<(M, u64)>, Vec<String>) {
    let found = Mutex::new(Vec::new());
    let wrong = spread(all, async |mistake| {
        let (seeds, harm) = notice(*mistake).await?;
        println!("{mistake:?}: {}", harm.lines().next().unwrap_or_default());
        found.lock().unwrap().push((*mistake, seeds));
        Ok(())
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(mistake, _)| all.iter().position(|one| one == mistake));
    (found, wrong)
}
