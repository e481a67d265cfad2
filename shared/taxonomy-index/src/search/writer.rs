//! Writing an object.

use crate::search::collect::Collector;
use crate::search::dictionary::{DictionaryBlock, DictionaryWriter};
use crate::search::entry::Entry;
use crate::search::fold::Text;
use crate::search::hot;
use crate::search::key::{SPACES, Space, beside, key, keys_of};
use crate::search::language::Language;
use crate::search::layout::{MAX_ROOT_BYTES, Root, SearchFooter, Section};
use crate::search::letters;
use crate::search::map;
use crate::search::mention;
use crate::search::names;
use crate::search::part::seal;
use crate::search::postings::{PAGE_BYTES, Posting, encode};

/// The error of writing an object.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An ordinal is not below the number of the version.
    #[error("ordinal {0} is not an ordinal of the version")]
    Ordinal(u32),
    /// A name or a sort key is too long.
    #[error("a name or a sort key of ordinal {0} has more than 65,535 bytes")]
    TooLong(u32),
    /// The names exceed the format.
    #[error("the names exceed 4 GiB, 4 billion keys or a root of 16 MiB")]
    TooMany,
}

/// Writes the object of a version with this number of ordinals, from its names in a language in any order. The same names give the same bytes.
///
/// Keeps the keys of all names in memory, 200 to 700 bytes a name in real taxonomies (`docs/decisions/0019-search.md`).
///
/// # Errors
/// An ordinal is out of range, a text is too long, or the names exceed the format.
pub fn write(language: Language, ordinals: u32, mut names: Vec<Entry<'_>>) -> Result<Vec<u8>, WriteError> {
    check(ordinals, &names)?;
    names.sort_by_cached_key(rank_of);
    let mut object = Object::default();
    if let Some(automaton) = mention::write(language, &names) {
        object.part(Section::Automaton, automaton);
    }
    object.names(&names);
    // Folding is dear, so each name is folded once.
    let mut letters = Vec::with_capacity(names.len());
    let mut spaces = SPACES.map(|space| (space, Collector::default()));
    for (rank, name) in (0..).zip(&names) {
        let text = Text::fold(name.name);
        letters.push((letters::hash(&text.all_letters(language)), rank));
        for (space, collector) in &mut spaces {
            keys_of(*space, language, name.kind, &text, |key| {
                collector.push(key, rank);
            });
        }
    }
    for bucket in letters::buckets(letters) {
        object.part(Section::Letters, bucket);
    }
    let (mut short, mut maps) = (Vec::new(), Vec::new());
    for (space, collector) in spaces {
        let sorted = collector.finish().ok_or(WriteError::TooMany)?;
        for (number, text) in sorted.keys.iter().enumerate() {
            let postings: Vec<Posting> = sorted.postings(number, number + 1, &names).collect();
            object.list(&key(space, text), &postings);
        }
        let lists = hot::lists(&sorted, &names).into_iter();
        short.extend(lists.map(|(text, list)| (beside(Space::Hot, &key(space, &text)), list)));
        if space == Space::Word {
            maps = map::maps(&sorted, &names);
        }
    }
    for (key, list) in short {
        object.list(&key, &list);
    }
    for (text, map) in maps {
        object.stored(&beside(Space::Map, &key(Space::Word, &text)), map, 0);
    }
    object.root.language = language;
    object.finish(ordinals)
}

fn check(ordinals: u32, names: &[Entry<'_>]) -> Result<(), WriteError> {
    let mut bytes = names.len();
    for name in names {
        if name.ordinal >= ordinals {
            return Err(WriteError::Ordinal(name.ordinal));
        }
        let longest = name.name.len().max(name.sort_key.len());
        u16::try_from(longest).map_err(|_| WriteError::TooLong(name.ordinal))?;
        bytes += name.name.len() + name.sort_key.len();
    }
    u32::try_from(bytes).map_err(|_| WriteError::TooMany)?;
    Ok(())
}

/// Returns the criteria of the rank of a name, which do not depend on a query.
fn rank_of<'a>(name: &Entry<'a>) -> impl Ord + use<'a> {
    let characters = name.name.chars().count();
    let of_term = (name.sort_key, name.id, name.ordinal);
    (name.partition(), name.depth, characters, of_term, name.name)
}

/// An object under construction.
#[derive(Default)]
struct Object {
    bytes: Vec<u8>,
    root: Root,
    dictionary: DictionaryWriter,
    /// The open page of postings.
    page: Vec<u8>,
}

impl Object {
    fn part(&mut self, section: Section, payload: Vec<u8>) {
        let part = seal(payload);
        self.root.parts.push((section, part.len() as u64));
        self.bytes.extend_from_slice(&part);
    }

    fn names(&mut self, names: &[Entry<'_>]) {
        let (mut page, mut count) = (Vec::new(), 0);
        for name in names {
            let depths = &mut self.root.partitions[name.partition()];
            let depth = usize::from(name.depth);
            if depths.len() <= depth {
                depths.resize(depth + 1, 0);
            }
            depths[depth] += 1;
            names::push(&mut page, name);
            count += 1;
            if page.len() >= names::PAGE_BYTES {
                self.part(Section::Names(count), std::mem::take(&mut page));
                count = 0;
            }
        }
        if count > 0 {
            self.part(Section::Names(count), page);
        }
    }

    fn block(&mut self, block: Option<DictionaryBlock>) {
        if let Some((separator, block)) = block {
            self.part(Section::Dictionary(separator), block);
        }
    }

    /// Writes a key with its list.
    fn list(&mut self, key: &[u8], postings: &[Posting]) {
        let mut list = Vec::new();
        let count = encode(&mut list, postings);
        self.stored(key, list, count);
    }

    /// Writes a key with the bytes of a list of so many postings, or of a map.
    fn stored(&mut self, key: &[u8], mut bytes: Vec<u8>, postings: u64) {
        let block = self.dictionary.push(key, bytes.len() as u64, postings);
        self.page.append(&mut bytes);
        while self.page.len() >= PAGE_BYTES {
            let rest = self.page.split_off(PAGE_BYTES);
            let page = std::mem::replace(&mut self.page, rest);
            self.part(Section::Postings, page);
        }
        self.block(block);
    }

    fn finish(mut self, ordinals: u32) -> Result<Vec<u8>, WriteError> {
        let block = self.dictionary.finish();
        self.block(block);
        if !self.page.is_empty() {
            let page = std::mem::take(&mut self.page);
            self.part(Section::Postings, page);
        }
        self.root.ordinals = ordinals;
        let root = self.root.bytes();
        let footer = SearchFooter {
            root_start: self.bytes.len() as u64,
            root_bytes: root.len() as u64,
        };
        if footer.root_bytes > MAX_ROOT_BYTES {
            return Err(WriteError::TooMany);
        }
        self.bytes.extend(root);
        self.bytes.extend(footer.bytes());
        Ok(self.bytes)
    }
}
