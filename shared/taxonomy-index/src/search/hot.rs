//! Short lists for prefixes with many postings. Prefixes of the same set of keys share one list, under the longest of them.
//!
//! For each partition of names and each number of plain letters, a list contains the best names of [`HOT_NODES`] nodes. A search
//! takes names in exactly these groups; a group that it reaches has fewer nodes before it, so the list suffices.

use crate::search::collect::SortedKeys;
use crate::search::dictionary::common;
use crate::search::entry::Entry;
use crate::search::key::ALL;
use crate::search::postings::Posting;
use crate::search::query::MAX_LIMIT;

/// Prefixes with more postings have a short list.
pub(crate) const HOT_POSTINGS: usize = 2048;

/// The nodes of a short list, one more than a search returns: so it says whether there are more.
pub(crate) const HOT_NODES: usize = MAX_LIMIT + 1;

/// Returns the short lists of a space, ascending by prefix.
pub(crate) fn lists(sorted: &SortedKeys, names: &[Entry<'_>]) -> Vec<(String, Vec<Posting>)> {
    let mut lists = Vec::new();
    collect(sorted, names, (0, sorted.keys.len()), &mut lists);
    lists.retain(|(prefix, _)| !prefix.is_empty());
    lists.sort_unstable();
    lists
}

/// Adds the lists of a range of keys. Returns the best postings of the range.
fn collect(
    sorted: &SortedKeys,
    names: &[Entry<'_>],
    (first, end): (usize, usize),
    lists: &mut Vec<(String, Vec<Posting>)>,
) -> Vec<Posting> {
    if sorted.count(first, end) <= HOT_POSTINGS {
        return best(sorted.postings(first, end, names).collect(), names);
    }
    let prefix = shared(&sorted.keys[first], &sorted.keys[end - 1]).to_owned();
    let mut postings = Vec::new();
    if end - first == 1 {
        postings = sorted.postings(first, end, names).collect();
    } else {
        for (letter, (from, to)) in divided(sorted, (first, end), &prefix) {
            postings.extend(match letter {
                Some(_) => collect(sorted, names, (from, to), lists),
                // The key is the prefix itself: its list would have the same prefix.
                None => best(sorted.postings(from, to, names).collect(), names),
            });
        }
    }
    let letters = u32::try_from(prefix.chars().count()).unwrap_or(ALL);
    for posting in &mut postings {
        // An accent after the prefix cannot affect a query that uses this list.
        if posting.plain >= letters {
            posting.plain = ALL;
        }
    }
    let postings = best(postings, names);
    lists.push((prefix, postings.clone()));
    postings
}

/// Divides keys by the letter after their prefix; none for the key that is the prefix.
pub(crate) fn divided(
    sorted: &SortedKeys,
    (first, end): (usize, usize),
    prefix: &str,
) -> Vec<(Option<char>, (usize, usize))> {
    let next = |key: &str| key[prefix.len()..].chars().next();
    let mut parts = Vec::new();
    let mut from = first;
    while from < end {
        let letter = next(&sorted.keys[from]);
        let to = from + sorted.keys[from..end].partition_point(|key| next(key) == letter);
        parts.push((letter, (from, to)));
        from = to;
    }
    parts
}

/// Returns the common prefix of two keys, in letters.
pub(crate) fn shared<'a>(a: &'a str, b: &str) -> &'a str {
    let mut length = common(a.as_bytes(), b.as_bytes());
    while !a.is_char_boundary(length) {
        length -= 1;
    }
    &a[..length]
}

/// Returns the best names of each group, one for each term.
fn best(mut postings: Vec<Posting>, names: &[Entry<'_>]) -> Vec<Posting> {
    postings.sort_unstable();
    postings.dedup();
    let mut group = None;
    let mut terms: Vec<u32> = Vec::with_capacity(HOT_NODES);
    postings.retain(|posting| {
        let partition = names[posting.rank as usize].partition();
        if group != Some((posting.plain, partition)) {
            group = Some((posting.plain, partition));
            terms.clear();
        }
        let is_new = terms.len() < HOT_NODES && !terms.contains(&posting.ordinal);
        if is_new {
            terms.push(posting.ordinal);
        }
        is_new
    });
    postings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::collect::Collector;
    use crate::search::entry::Kind;
    use crate::search::key::NameKey;

    #[test]
    fn a_frequent_key_that_begins_another_has_no_list_beside_that_of_both() {
        let mut collector = Collector::default();
        let names = (0..6000).map(|rank| Entry {
            ordinal: rank,
            id: rank.into(),
            name: if rank < 3000 { "office" } else { "of" },
            kind: Kind::Preferred,
            depth: 1,
            deprecated: false,
            sort_key: "",
        });
        let names: Vec<Entry<'_>> = names.collect();
        for name in &names {
            let key = NameKey {
                text: name.name,
                plain: ALL,
                words: 1,
            };
            collector.push(key, name.ordinal);
        }
        let lists = lists(&collector.finish().unwrap(), &names);
        let prefixes: Vec<&str> = lists.iter().map(|(prefix, _)| prefix.as_str()).collect();
        assert_eq!(prefixes, ["of", "office"]);
        for (_, list) in lists {
            assert_eq!((list.len(), list[0].rank), (HOT_NODES, 0));
        }
    }
}
