//! The contexts of JSON-LD: a context below another one begins as a copy of it, and its parser calls itself for each term by which
//! another one is defined.

use std::collections::BTreeSet;

use serde_json::Value;

use super::limits::{DEEPEST, LONGEST_CONTEXT, MOST_COPIED};
use crate::sources::skos::failure::Failure;

const CONTEXT: &str = "@context";
/// Each character of it as an escape.
const LONGEST: usize = 6 * CONTEXT.len();

/// The contexts so far.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    /// The beginning of the text, as the file has it.
    text: Vec<u8>,
    /// The texts outside of contexts, each perhaps a term.
    texts: u64,
    /// The last text is the key of a context.
    is_next: bool,
    /// The depth at which a context begins, and its bytes so far.
    open: Option<(usize, Vec<u8>)>,
    largest: usize,
    /// The contexts, each by the number of objects and arrays around it: the contexts of so many are copied.
    weight: u64,
    /// Whether a context contains another one, which is copied for each use of its term.
    is_scoped: bool,
}

impl Contexts {
    /// Takes a byte of a text.
    pub(super) fn text(&mut self, byte: u8) {
        self.keep(byte);
        // One byte more shows that the text is longer.
        if self.text.len() <= LONGEST {
            self.text.push(byte);
        }
    }

    pub(super) fn end_text(&mut self) {
        self.keep(b'"');
        self.texts += u64::from(self.open.is_none());
        self.is_next = self.text == CONTEXT.as_bytes()
            || (self.text.contains(&b'\\') && self.text.len() <= LONGEST && {
                let json = [b"\"", self.text.as_slice(), b"\""].concat();
                serde_json::from_slice::<String>(&json).is_ok_and(|text| text == CONTEXT)
            });
        self.text.clear();
    }

    /// Takes a byte outside of texts, which lies so deep before it counts.
    pub(super) fn byte(&mut self, byte: u8, depth: usize) -> Result<(), Failure> {
        if self.is_next && matches!(byte, b'{' | b'[') {
            self.weight += depth as u64 + 1;
            self.is_scoped |= self.open.is_some();
            self.open.get_or_insert((depth, Vec::new()));
        }
        self.keep(byte);
        if self.largest > LONGEST_CONTEXT {
            return Err(Failure::Contexts);
        }
        let ends = |(begin, _): &mut (usize, Vec<u8>)| matches!(byte, b'}' | b']') && *begin + 1 == depth;
        if let Some((_, context)) = self.open.take_if(ends) {
            check_terms(&context)?;
        }
        self.is_next &= byte == b':' || byte.is_ascii_whitespace();
        let copies = self.weight + if self.is_scoped { self.texts } else { 0 };
        match copies.saturating_mul(self.largest as u64) > MOST_COPIED {
            true => Err(Failure::Contexts),
            false => Ok(()),
        }
    }

    fn keep(&mut self, byte: u8) {
        if let Some((_, bytes)) = &mut self.open
            && bytes.len() <= LONGEST_CONTEXT
        {
            bytes.push(byte);
            self.largest = self.largest.max(bytes.len());
        }
    }
}

/// Bounds the terms by which others are defined, and with them the longest chain.
fn check_terms(context: &[u8]) -> Result<(), Failure> {
    let context: Value = serde_json::from_slice(context).map_err(|_| Failure::InvalidContext)?;
    let (mut terms, mut uses) = (BTreeSet::new(), BTreeSet::new());
    collect(&context, "", &mut terms, &mut uses);
    match uses.intersection(&terms).count() > DEEPEST {
        true => Err(Failure::TermChain),
        false => Ok(()),
    }
}

/// Collects the terms of a context, and the names by which others than themselves are defined. Calls itself for each level of the JSON.
fn collect<'v>(value: &'v Value, term: &'v str, terms: &mut BTreeSet<&'v str>, uses: &mut BTreeSet<&'v str>) {
    let mut add = |name: &'v str| {
        let prefix = name.split_once(':').map_or(name, |(prefix, _)| prefix);
        uses.extend([name, prefix].into_iter().filter(|used| *used != term));
    };
    match value {
        Value::String(text) => add(text),
        Value::Array(list) => list.iter().for_each(|value| collect(value, term, terms, uses)),
        Value::Object(members) => {
            for (key, value) in members {
                if key.starts_with('@') {
                    collect(value, term, terms, uses);
                } else {
                    terms.insert(key);
                    let prefix = key.split_once(':').map(|(prefix, _)| prefix);
                    uses.extend(prefix);
                    collect(value, key, terms, uses);
                }
            }
        }
        _ => {}
    }
}
