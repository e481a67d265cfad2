//! The objects, arrays and contexts of JSON-LD: a context below another one begins as a copy of it, and the parser calls itself for each
//! level and for each term by which another one is defined.

use std::collections::BTreeSet;

use serde_json::Value;

use super::limits::{DEEPEST, LONGEST_CONTEXT, MOST_COPIED};
use crate::sources::skos::failure::Failure;

const CONTEXT: &str = "@context";
/// Each character of it as an escape.
const LONGEST: usize = 6 * CONTEXT.len();

/// What is open at a byte, and the contexts so far.
#[derive(Debug, Default)]
pub(in crate::sources::skos) struct JsonGuard {
    /// The number of open objects and arrays.
    depth: usize,
    in_text: bool,
    is_escaped: bool,
    /// Bytes of the open text.
    pub(super) length: u64,
    /// Its beginning, as the file has it.
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

impl JsonGuard {
    pub(super) fn check(&mut self, piece: &[u8]) -> Result<(), Failure> {
        for byte in piece {
            if self.in_text {
                self.take_text(*byte);
                continue;
            }
            self.take_context(*byte)?;
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            if self.depth > DEEPEST {
                return Err(Failure::TooDeep);
            }
        }
        Ok(())
    }

    /// Takes a byte of a text.
    fn take_text(&mut self, byte: u8) {
        self.keep(byte);
        if byte == b'"' && !self.is_escaped {
            self.texts += u64::from(self.open.is_none());
            self.is_next = is_context(&self.text);
            self.text.clear();
            (self.in_text, self.length) = (false, 0);
            return;
        }
        self.is_escaped = byte == b'\\' && !self.is_escaped;
        self.length += 1;
        // One byte more shows that the text is longer.
        if self.text.len() <= LONGEST {
            self.text.push(byte);
        }
    }

    /// Takes a byte outside of texts, before it counts for the depth.
    fn take_context(&mut self, byte: u8) -> Result<(), Failure> {
        if self.is_next && matches!(byte, b'{' | b'[') {
            self.weight += self.depth as u64 + 1;
            self.is_scoped |= self.open.is_some();
            self.open.get_or_insert((self.depth, Vec::new()));
        }
        self.keep(byte);
        if self.largest > LONGEST_CONTEXT {
            return Err(Failure::Contexts);
        }
        let ends =
            |(begin, _): &mut (usize, Vec<u8>)| matches!(byte, b'}' | b']') && *begin + 1 == self.depth;
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

/// Returns true if a text is the key of a context, perhaps with escapes.
fn is_context(text: &[u8]) -> bool {
    let has_escapes = text.contains(&b'\\') && text.len() <= LONGEST;
    let written = || serde_json::from_slice::<String>(&[b"\"", text, b"\""].concat());
    text == CONTEXT.as_bytes() || has_escapes && written().is_ok_and(|text| text == CONTEXT)
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
