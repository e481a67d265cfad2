//! The collations of CLDR, unpacked: `data/collations.zst`, which `examples/write_data.rs` writes.
//!
//! The content is a row of arrays of numbers: a length as `u32`, then the lowest bytes of all its numbers, then the next bytes, to the highest. In this
//! form, byte by byte, zstd needs a fifth less. In their order: the root's [`CollationData`], jamo, special primaries; then of each tailoring its
//! name, [`CollationMetadata`], its own [`CollationData`], diacritics and reordering, which are empty where it has none.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use icu_collator::provider::{
    CollationData, CollationDiacritics, CollationJamo, CollationMetadata, CollationReordering,
    CollationSpecialPrimaries,
};
use icu_collections::codepointtrie::{CodePointTrie, CodePointTrieHeader, TrieType};
use taxonomy_keys::Writing;
use zerovec::ZeroVec;
use zerovec::ule::AsULE;

const PACKED: &[u8] = include_bytes!("../data/collations.zst");

/// A bound for what is unpacked; the content has 0.7 MB.
const MAX_CONTENT: usize = 4 << 20;

/// The name of the root's own entry.
const ROOT: &str = "und";

/// Everything, unpacked when it is first used, in some 5 ms.
#[expect(clippy::expect_used, reason = "the data are a part of the program")]
pub(crate) static DATA: LazyLock<Data> = LazyLock::new(|| {
    let content = zstd::bulk::decompress(PACKED, MAX_CONTENT).expect("a zstd frame");
    Data::parse(&mut Numbers(&content)).expect("collations")
});

/// The collations.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) root: CollationData<'static>,
    pub(crate) jamo: CollationJamo<'static>,
    pub(crate) special_primaries: CollationSpecialPrimaries<'static>,
    pub(crate) root_diacritics: CollationDiacritics<'static>,
    tailorings: BTreeMap<String, Tailoring>,
}

/// In what a collation differs from the root.
#[derive(Debug)]
pub(crate) struct Tailoring {
    pub(crate) metadata: CollationMetadata,
    pub(crate) data: Option<CollationData<'static>>,
    pub(crate) diacritics: Option<CollationDiacritics<'static>>,
    pub(crate) reordering: Option<CollationReordering<'static>>,
}

impl Data {
    fn parse(numbers: &mut Numbers<'_>) -> Option<Self> {
        let root = numbers.collation()??;
        let jamo = CollationJamo {
            ce32s: numbers.array()?,
        };
        let special_primaries = CollationSpecialPrimaries {
            last_primaries: numbers.array()?,
            numeric_primary: numbers.array()?.get(0)?,
            compressible_bytes: numbers.array()?,
        };
        let mut tailorings = BTreeMap::new();
        while !numbers.0.is_empty() {
            let name = numbers.array::<u8>()?.to_vec();
            tailorings.insert(String::from_utf8(name).ok()?, numbers.tailoring()?);
        }
        let root_diacritics = tailorings.get_mut(ROOT)?.diacritics.take()?;
        Some(Self {
            root,
            jamo,
            special_primaries,
            root_diacritics,
            tailorings,
        })
    }

    /// Returns the root's own entry.
    #[expect(
        clippy::indexing_slicing,
        reason = "the data have it, else they were not parsed"
    )]
    pub(crate) fn root(&self) -> &Tailoring {
        &self.tailorings[ROOT]
    }

    /// Returns the collation of a language in its script, before it the one of a region, after it the one of the script in any language.
    pub(crate) fn of_writing(&self, writing: Writing<'_>) -> &Tailoring {
        let Writing {
            language,
            script,
            region,
        } = writing;
        let regional = region.map(|region| format!("{language}-{script}-{region}"));
        let names = [format!("{language}-{script}"), format!("{ROOT}-{script}")];
        let mut names = regional.into_iter().chain(names);
        let found = names.find_map(|name| self.tailorings.get(&name));
        found.unwrap_or_else(|| self.root())
    }

    #[cfg(test)]
    pub(crate) fn tailorings(&self) -> impl Iterator<Item = &Tailoring> {
        self.tailorings.values()
    }
}

/// What is left of the content.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn array<T: AsULE + TryFrom<u64>>(&mut self) -> Option<ZeroVec<'static, T>> {
        let (length, rest) = self.0.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (bytes, rest) = rest.split_at_checked(length.checked_mul(size_of::<T>())?)?;
        self.0 = rest;
        let number = |at: usize| {
            let bytes = bytes.iter().skip(at).step_by(length);
            let number = bytes
                .rev()
                .fold(0, |number, byte| (number << 8) | u64::from(*byte));
            T::try_from(number).ok()
        };
        (0..length)
            .map(number)
            .collect::<Option<Vec<T>>>()
            .map(ZeroVec::from_iter)
    }

    fn tailoring(&mut self) -> Option<Tailoring> {
        let metadata = CollationMetadata {
            bits: self.array()?.get(0)?,
        };
        let data = self.collation()?;
        let secondaries = self.array()?;
        let (limit, reorder_table, reorder_ranges) = (self.array()?, self.array()?, self.array()?);
        Some(Tailoring {
            metadata,
            data,
            diacritics: (!secondaries.is_empty()).then_some(CollationDiacritics { secondaries }),
            reordering: limit.get(0).map(|min_high_no_reorder| CollationReordering {
                min_high_no_reorder,
                reorder_table,
                reorder_ranges,
            }),
        })
    }

    /// Reads the data of a collation; the inner option is none where they are empty.
    fn collation(&mut self) -> Option<Option<CollationData<'static>>> {
        let header = self.array::<u32>()?.to_vec();
        let (index, trie) = (self.array()?, self.array()?);
        let (ces, ce32s, contexts) = (self.array()?, self.array()?, self.array()?);
        if header.is_empty() {
            return Some(None);
        }
        let trie = CodePointTrie::try_new(trie_header(&header)?, index, trie).ok()?;
        Some(Some(CollationData {
            trie,
            ces,
            ce32s,
            contexts,
        }))
    }
}

fn trie_header(numbers: &[u32]) -> Option<CodePointTrieHeader> {
    let [high_start, shifted, index_null, data_null, null_value, trie_type] = *numbers else {
        return None;
    };
    Some(CodePointTrieHeader {
        high_start,
        shifted12_high_start: shifted.try_into().ok()?,
        index3_null_offset: index_null.try_into().ok()?,
        data_null_offset: data_null,
        null_value,
        trie_type: match trie_type {
            0 => TrieType::Fast,
            1 => TrieType::Small,
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::DATA;
    use crate::Collation;

    #[test]
    fn every_collation_can_be_made() {
        let collations = DATA.tailorings().map(Collation::new);
        let keys = collations.map(|collation| collation.key("a"));
        assert!(keys.filter(|key| !key.is_empty()).count() > 80);
    }
}
