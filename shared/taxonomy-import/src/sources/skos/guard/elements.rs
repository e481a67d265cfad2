//! The elements of XML that are open: their parser looks through all their namespaces for each name, and compares each attribute of a tag
//! with those before it.

use super::limits::{DEEPEST, MOST_ATTRIBUTES};
use crate::sources::skos::failure::Failure;

/// The markup around a byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Markup {
    #[default]
    Text,
    /// Behind `<`.
    Begin,
    /// A start tag, and the quote that is open in it.
    Start(Option<u8>),
    End,
    /// Behind `<!`.
    Bang,
    Comment,
    CharacterData,
    /// The opening angle brackets that are not closed.
    DocumentType(u64),
    Instruction,
}

/// The open elements.
#[derive(Debug, Default)]
pub(super) struct Elements {
    markup: Markup,
    /// The last two bytes of the markup.
    last: [u8; 2],
    /// The attributes of each open element, from the root on.
    open: Vec<usize>,
    /// Those of the tag.
    attributes: usize,
    /// All of them.
    total: usize,
}

impl Elements {
    pub(super) fn check(&mut self, piece: &[u8]) -> Result<(), Failure> {
        for byte in piece {
            let before = self.markup;
            self.markup = self.next(*byte);
            self.last = match before == self.markup {
                true => [self.last[1], *byte],
                false => [0, 0],
            };
            if self.open.len() > DEEPEST {
                return Err(Failure::TooDeep);
            }
            if self.total > MOST_ATTRIBUTES {
                return Err(Failure::TooManyAttributes);
            }
        }
        Ok(())
    }

    fn next(&mut self, byte: u8) -> Markup {
        match (self.markup, byte) {
            (Markup::Text, b'<') => Markup::Begin,
            (Markup::Begin, b'/') => Markup::End,
            (Markup::Begin, b'!') => Markup::Bang,
            (Markup::Begin, b'?') => Markup::Instruction,
            (Markup::Begin, b'>') => Markup::Text,
            (Markup::Begin, _) => Markup::Start(None),
            (Markup::Start(Some(quote)), byte) if byte == quote => Markup::Start(None),
            (Markup::Start(None), b'"' | b'\'') => Markup::Start(Some(byte)),
            (Markup::Start(None), b'=') => {
                self.attributes += 1;
                self.total += 1;
                self.markup
            }
            (Markup::Start(None), b'>') => {
                self.open.push(std::mem::take(&mut self.attributes));
                if self.last[1] == b'/' {
                    self.close();
                }
                Markup::Text
            }
            (Markup::End, b'>') => {
                self.close();
                Markup::Text
            }
            (Markup::Bang, b'-') => Markup::Comment,
            (Markup::Bang, b'[') => Markup::CharacterData,
            (Markup::Bang, b'>') => Markup::Text,
            (Markup::Bang, _) => Markup::DocumentType(1),
            (Markup::DocumentType(open), b'<') => Markup::DocumentType(open + 1),
            (Markup::DocumentType(1), b'>') => Markup::Text,
            (Markup::DocumentType(open), b'>') => Markup::DocumentType(open - 1),
            (Markup::Comment, b'>') if self.last == *b"--" => Markup::Text,
            (Markup::CharacterData, b'>') if self.last == *b"]]" => Markup::Text,
            (Markup::Instruction, b'>') if self.last[1] == b'?' => Markup::Text,
            (markup, _) => markup,
        }
    }

    fn close(&mut self) {
        self.total -= self.open.pop().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<usize, Failure> {
        let mut elements = Elements::default();
        // Byte by byte, as pieces may end anywhere.
        for byte in text.as_bytes().chunks(1) {
            elements.check(byte)?;
        }
        Ok(elements.open.len())
    }

    #[test]
    fn only_tags_open_elements() {
        for (text, open) in [
            ("<a><b c='/>'>", 2),
            ("<a/><a b=\"<\"/><a b='c' />", 0),
            ("<?xml a='<b>'?><!DOCTYPE a [<!ENTITY b \"c\">]><a></a>", 0),
            ("<!-- <a> - -- <b> --><a>", 1),
            ("<!--><a>--><a>", 1),
            ("<![CDATA[<a>]<b>]]><a>", 1),
            ("</a></a><a>", 1),
        ] {
            assert_eq!(check(text), Ok(open), "{text}");
        }
    }

    #[test]
    fn open_elements_are_bounded() {
        assert!(check(&"<a>".repeat(DEEPEST)).is_ok());
        assert_eq!(check(&"<a>".repeat(DEEPEST + 1)), Err(Failure::TooDeep));
        assert!(check(&"<a></a>".repeat(1000)).is_ok());

        let tag = |count: usize| format!("<a {}>", "b='c' ".repeat(count));
        assert!(check(&tag(MOST_ATTRIBUTES)).is_ok());
        assert_eq!(check(&tag(MOST_ATTRIBUTES + 1)), Err(Failure::TooManyAttributes));
        assert_eq!(check(&tag(100).repeat(11)), Err(Failure::TooManyAttributes));
        assert!(check(&format!("{}</a>", tag(100)).repeat(11)).is_ok());
    }
}
