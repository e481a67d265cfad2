//! The contexts of JSON-LD: a context below another one begins as a copy of it.

use super::MOST_COPIED;
use crate::sources::skos::pieces::Failure;

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
    open: Option<(usize, u64)>,
    largest: u64,
    /// The contexts, each by the number of objects and arrays around it: the contexts of so many are copied.
    weight: u64,
    /// A context holds another one, which is copied wherever its term stands.
    is_scoped: bool,
}

impl Contexts {
    /// Takes a byte of a text.
    pub(super) fn text(&mut self, byte: u8) {
        self.count();
        // One byte more shows that the text is longer.
        if self.text.len() <= LONGEST {
            self.text.push(byte);
        }
    }

    pub(super) fn end_text(&mut self) {
        self.count();
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
        self.count();
        match byte {
            b'{' | b'[' if self.is_next => {
                self.weight += depth as u64 + 1;
                self.is_scoped |= self.open.is_some();
                self.open.get_or_insert((depth, 0));
            }
            b'}' | b']' if self.open.is_some_and(|(begin, _)| begin + 1 == depth) => self.open = None,
            _ => {}
        }
        self.is_next &= byte == b':' || byte.is_ascii_whitespace();
        let copies = self.weight + if self.is_scoped { self.texts } else { 0 };
        match copies.saturating_mul(self.largest) > MOST_COPIED {
            true => Err(Failure::Contexts),
            false => Ok(()),
        }
    }

    fn count(&mut self) {
        if let Some((_, bytes)) = &mut self.open {
            *bytes += 1;
            self.largest = self.largest.max(*bytes);
        }
    }
}
