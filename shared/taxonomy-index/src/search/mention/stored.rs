//! The names of a key: what the automaton has of each beside its words.

use std::borrow::Cow;

use crate::search::bytes::{Bytes, push};
use crate::search::mention::words::Spelling;

/// A name, in the order of candidates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredName<'a> {
    pub(super) is_alternative: bool,
    pub(super) is_deprecated: bool,
    /// The ordinal of the term.
    pub(super) ordinal: u32,
    /// The words of the key, by their bits, that a break stands before.
    pub(super) breaks: u64,
    /// The words of the key, by their bits, that have no other number, as acronyms.
    pub(super) fixed: u64,
    /// Of a short name.
    pub(super) spelling: Option<Spelling<'a>>,
}

/// The place of the names of a key: most keys have one name without breaks and spelling, which is the value itself.
const IS_LIST: u64 = 1;

/// Returns the value of a key. A list of names is appended to `lists`.
pub(super) fn write(lists: &mut Vec<u8>, names: &[&StoredName<'_>]) -> u64 {
    match names {
        [name] if (name.breaks, name.fixed) == (0, 0) && name.spelling.is_none() => name.flags() << 1,
        _ => {
            let place = lists.len() as u64;
            push(lists, names.len() as u64);
            names.iter().for_each(|name| name.write(lists));
            place << 1 | IS_LIST
        }
    }
}

/// Returns the names of a value, as far as they are sound.
pub(super) fn read(lists: &[u8], value: u64) -> impl Iterator<Item = StoredName<'_>> {
    let place = usize::try_from(value >> 1).unwrap_or(usize::MAX);
    let is_list = value & IS_LIST != 0;
    let single = if is_list {
        None
    } else {
        StoredName::new(value >> 1)
    };
    let mut bytes = Bytes::new(lists.get(place..).filter(|_| is_list).unwrap_or_default());
    let count = bytes.number().unwrap_or(0);
    let listed = (0..count).map_while(move |_| StoredName::read(&mut bytes));
    single.into_iter().chain(listed)
}

impl<'a> StoredName<'a> {
    /// The ordinal with whether the term is deprecated and the name an alternative one.
    fn flags(&self) -> u64 {
        u64::from(self.ordinal) << 2 | u64::from(self.is_deprecated) << 1 | u64::from(self.is_alternative)
    }

    fn new(flags: u64) -> Option<Self> {
        Some(Self {
            is_alternative: flags & 1 != 0,
            is_deprecated: flags & 2 != 0,
            ordinal: u32::try_from(flags >> 2).ok()?,
            breaks: 0,
            fixed: 0,
            spelling: None,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        push(out, self.flags() << 1 | u64::from(self.spelling.is_some()));
        push(out, self.breaks);
        push(out, self.fixed);
        if let Some(Spelling { capitals, surface }) = &self.spelling {
            out.push(*capitals);
            push(out, surface.len() as u64);
            out.extend_from_slice(surface.as_bytes());
        }
    }

    fn read(bytes: &mut Bytes<'a>) -> Option<Self> {
        let flags = bytes.number()?;
        let name = Self::new(flags >> 1)?;
        let (breaks, fixed) = (bytes.number()?, bytes.number()?);
        let spelling = match flags & 1 {
            0 => None,
            _ => {
                let [capitals] = bytes.array()?;
                let length = bytes.length()?;
                let surface = std::str::from_utf8(bytes.take(length)?).ok()?;
                Some(Spelling {
                    capitals,
                    surface: Cow::Borrowed(surface),
                })
            }
        };
        Some(Self {
            breaks,
            fixed,
            spelling,
            ..name
        })
    }
}
