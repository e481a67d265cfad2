//! Replacements of terms, with chains collapsed: a replacement that is deprecated or removed and has replacements of its own is replaced by
//! those (docs/decisions/0021-changes.md). A chain crosses versions, since a tombstone keeps the replacements of the version that removed it,
//! so it is followed when a term is read.

use std::collections::{BTreeSet, HashMap, HashSet};

use taxonomy_keys::TermId;
use taxonomy_model::stored::StoredTerm;

use crate::response::problem::Problem;
use crate::snapshot::Snapshot;

/// The longest chain that is followed, in terms: each step takes at most one request to the table.
const MOST_STEPS: usize = 8;

/// The maximum number of terms that are read for the chains of one request.
const MOST_READ: usize = 500;

/// The maximum number of terms of one read: the most keys of one BatchGetItem.
const AT_ONCE: usize = 100;

/// The collapsed replacements of the deprecated and removed terms of a response.
#[derive(Debug, Default)]
pub(crate) struct Replacements {
    collapsed: HashMap<TermId, Vec<u64>>,
    /// Terms whose replacements are not all known to be ends.
    chained: HashSet<TermId>,
}

impl Replacements {
    /// Follows the chains of terms that were read.
    pub(crate) async fn follow(
        snapshot: &Snapshot<'_>,
        found: impl Iterator<Item = (TermId, &StoredTerm)> + Clone,
    ) -> Result<Self, Problem> {
        let mut chains = Chains::default();
        let mut starts = Vec::new();
        for (id, term) in found.clone() {
            starts.extend_from_slice(chains.add(id.get(), term));
        }
        let mut wanted = chains.unknown(&starts);
        for _ in 0..MOST_STEPS {
            let mut ends = Vec::new();
            for ids in wanted.chunks(AT_ONCE) {
                let read = snapshot
                    .terms(ids, std::slice::from_ref(snapshot.default_culture()))
                    .await?;
                for id in ids {
                    match read.get(id) {
                        Some(term) => ends.extend_from_slice(chains.add(id.get(), term)),
                        None => chains.end(id.get()),
                    }
                }
            }
            wanted = chains.unknown(&ends);
            if wanted.is_empty() {
                break;
            }
        }
        let ids = found.map(|(id, _)| id);
        let collapsed = ids.clone();
        let collapsed = collapsed.filter_map(|id| Some((id, chains.collapse(id.get())?)));
        Ok(Self {
            collapsed: collapsed.collect(),
            chained: ids.filter(|id| !chains.are_ends(id.get())).collect(),
        })
    }

    /// Whether a chain was followed for a term. Its end depends on the other terms of the request, by the bounds of what is read.
    pub(crate) fn are_chained(&self, id: TermId) -> bool {
        self.chained.contains(&id)
    }

    /// Returns the replacements of a term of the response.
    pub(crate) fn get<'a>(&'a self, id: TermId, term: &'a StoredTerm) -> &'a [u64] {
        self.collapsed.get(&id).unwrap_or(&term.replaced_by)
    }
}

/// Terms that were read, each with the replacements that collapse it; with none where it is an end.
#[derive(Debug, Default)]
struct Chains(HashMap<u64, Vec<u64>>);

impl Chains {
    /// Adds a term, and returns the replacements that collapse it.
    fn add(&mut self, id: u64, term: &StoredTerm) -> &[u64] {
        let is_retired = term.deprecated || term.removed;
        let next = match is_retired {
            true => term.replaced_by.clone(),
            false => Vec::new(),
        };
        self.0.entry(id).or_insert(next)
    }

    /// Adds an id that no version had: responses keep it as the file has it.
    fn end(&mut self, id: u64) {
        self.0.entry(id).or_default();
    }

    /// Returns the ids that were not read yet, up to the bound.
    fn unknown<'i>(&self, ids: impl IntoIterator<Item = &'i u64>) -> Vec<TermId> {
        let unknown: BTreeSet<TermId> = ids
            .into_iter()
            .filter(|id| !self.0.contains_key(id))
            .filter_map(|id| TermId::new(*id))
            .collect();
        let room = (MOST_READ + AT_ONCE).saturating_sub(self.0.len());
        unknown.into_iter().take(room).collect()
    }

    /// Whether all replacements of a term were read, and have none of their own.
    fn are_ends(&self, id: u64) -> bool {
        let mut next = self.0.get(&id).into_iter().flatten();
        next.all(|next| self.0.get(next).is_some_and(Vec::is_empty))
    }

    /// Returns the ends of all chains from a deprecated or removed term, each once, in the order of the file; none if all chains are circles.
    fn collapse(&self, id: u64) -> Option<Vec<u64>> {
        let replaced_by = self.0.get(&id).filter(|next| !next.is_empty())?;
        let (mut seen, mut ends) = (HashSet::from([id]), Vec::new());
        let mut open: Vec<u64> = replaced_by.iter().rev().copied().collect();
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.0.get(&next) {
                Some(further) if !further.is_empty() => open.extend(further.iter().rev()),
                _ => ends.push(next),
            }
        }
        (!ends.is_empty()).then_some(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of chains, branches and circles: the terms with what replaces them, and the ends of some.
    #[test]
    fn a_chain_is_its_ends_once_in_the_order_of_the_file_and_a_circle_its_way_out() {
        type Known = [(u64, &'static [u64])];
        let chain: &Known = &[(1, &[2]), (2, &[3]), (3, &[4]), (4, &[]), (9, &[4, 2])];
        let branches: &Known = &[
            (1, &[3, 2, 8]),
            (2, &[5, 6]),
            (3, &[6, 7]),
            (5, &[]),
            (6, &[]),
            (7, &[]),
        ];
        let circle: &Known = &[(1, &[2]), (2, &[3]), (3, &[2, 1])];
        let open: &Known = &[(1, &[2]), (2, &[1, 3]), (3, &[])];
        for (known, id, ends) in [
            (chain, 1, Some(&[4][..])),
            (chain, 9, Some(&[4])),
            (chain, 4, None),
            (chain, 5, None),
            (branches, 1, Some(&[6, 7, 5, 8])),
            // A circle leaves its terms as they are filed.
            (circle, 1, None),
            (circle, 2, None),
            (circle, 3, None),
            (open, 1, Some(&[3])),
            (open, 2, Some(&[3])),
        ] {
            let chains = Chains(known.iter().map(|(id, next)| (*id, next.to_vec())).collect());
            assert_eq!(chains.collapse(id).as_deref(), ends, "{known:?} {id}");
        }
    }
}
