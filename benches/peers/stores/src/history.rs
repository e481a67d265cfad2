//! The states of the terms in two versions, as rows of a history table.

use crate::rows::Rows;

/// The version before the current one.
pub const BEFORE: i64 = 1;
const CURRENT: i64 = 2;
/// The end of a state that is still current.
const FOREVER: i64 = i64::MAX;

/// A document, with the versions in which it is the state of its term: from `since`, below `until`.
pub struct State {
    pub id: u64,
    pub since: i64,
    pub until: i64,
    pub document: String,
}

/// Returns the states of all terms. An edited name of an ancestor is another state of each descendant.
pub fn history<'r>(rows: &'r Rows, before: &'r Rows) -> impl Iterator<Item = State> + 'r {
    let old = before.terms.iter().map(|row| {
        let document = before.document(row);
        let is_current = rows
            .term(row.id)
            .is_some_and(|now| rows.document(now) == document);
        State {
            id: row.id,
            since: BEFORE,
            until: if is_current { FOREVER } else { CURRENT },
            document,
        }
    });
    let new = rows.terms.iter().filter_map(|row| {
        let document = rows.document(row);
        let was_current = before
            .term(row.id)
            .is_some_and(|old| before.document(old) == document);
        (!was_current).then_some(State {
            id: row.id,
            since: CURRENT,
            until: FOREVER,
            document,
        })
    });
    old.chain(new)
}
