//! Watches the bytes of a file for content that takes a parser more time, memory or stack than the file is long.

mod elements;
mod json;
pub(super) mod limits;

use super::failure::Failure;
use elements::Elements;
pub(super) use json::JsonGuard;
use limits::LONGEST_ENTITY;

const ENTITY: &[u8] = b"<!ENTITY";
const CONTEXT: &str = "\"@context\"";

/// The watch over a syntax.
#[derive(Debug)]
pub(super) enum Guard {
    Turtle,
    Xml(Xml),
    Json(JsonGuard),
}

/// The entities and elements of XML.
#[derive(Debug, Default)]
pub(super) struct Xml {
    /// The first piece was looked at.
    is_begun: bool,
    entities: Entities,
    elements: Elements,
}

/// A declaration of an entity: entities that name each other grow exponentially.
#[derive(Debug, Default)]
struct Entities {
    /// Bytes of `<!ENTITY` that were met.
    met: usize,
    /// Bytes of a declaration behind it.
    declared: usize,
}

impl Guard {
    /// The byte behind which a piece may end, beside line breaks.
    pub(super) const fn mark(&self) -> u8 {
        match self {
            Self::Turtle => b'\n',
            Self::Xml(_) => b'>',
            Self::Json(_) => b',',
        }
    }

    /// The bytes that a parser looks at again when it gets more of them; `unstated` of them stated nothing so far.
    pub(super) const fn held(&self, unstated: u64) -> u64 {
        match self {
            Self::Turtle => unstated,
            Self::Xml(_) => 0,
            Self::Json(json) => json.length,
        }
    }

    /// The bytes that a piece may become, or the reason for which the file is refused.
    pub(super) fn check(&mut self, piece: &[u8]) -> Result<u64, Failure> {
        let bytes = piece.len() as u64;
        match self {
            Self::Turtle => Ok(bytes),
            Self::Xml(xml) => {
                if !std::mem::replace(&mut xml.is_begun, true) && has_other_encoding(piece) {
                    return Err(Failure::Encoding);
                }
                xml.elements.check(piece)?;
                Ok(bytes + xml.entities.check(piece)?)
            }
            Self::Json(json) => json.check(piece).map(|()| bytes),
        }
    }

    /// Returns true if a piece begins a context of JSON-LD.
    pub(super) fn is_context(&self, piece: &str) -> bool {
        matches!(self, Self::Json(_)) && piece.contains(CONTEXT)
    }
}

/// Returns true if the XML declaration at the beginning of a file names an encoding that is not UTF-8.
fn has_other_encoding(piece: &[u8]) -> bool {
    let text = String::from_utf8_lossy(piece);
    let Some((_, value)) = text
        .split_once("<?xml")
        .and_then(|(_, rest)| rest.split_once("encoding"))
    else {
        return false;
    };
    let mut parts = value.split(['"', '\'']);
    let encoding = parts.nth(1).unwrap_or_default();
    !encoding.is_empty() && !encoding.eq_ignore_ascii_case("UTF-8")
}

impl Entities {
    /// Returns the most bytes that references to entities may expand to.
    fn check(&mut self, piece: &[u8]) -> Result<u64, Failure> {
        let mut references = 0;
        for byte in piece {
            references += u64::from(*byte == b'&');
            if self.met == ENTITY.len() {
                self.declared += 1;
                match byte {
                    b'&' => return Err(Failure::Entity),
                    b'>' => (self.met, self.declared) = (0, 0),
                    _ if self.declared > LONGEST_ENTITY => return Err(Failure::Entity),
                    _ => {}
                }
            } else if ENTITY.get(self.met) == Some(byte) {
                self.met += 1;
            } else {
                self.met = usize::from(*byte == b'<');
            }
        }
        Ok(references * LONGEST_ENTITY as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::limits::DEEPEST;
    use super::*;

    fn xml(pieces: &[&str]) -> Result<u64, Failure> {
        let mut guard = Guard::Xml(Xml::default());
        pieces.iter().map(|piece| guard.check(piece.as_bytes())).sum()
    }

    #[test]
    fn an_entity_is_short_and_names_no_other() {
        let entity = "<!ENTITY owl \"http://www.w3.org/2002/07/owl#\">";
        assert_eq!(xml(&[entity, "<a b='&owl;'/>"]), Ok(60 + 500));
        assert_eq!(xml(&["<!EN", "TITY b \"&a;&a;\">"]), Err(Failure::Entity));
        let long = "x".repeat(LONGEST_ENTITY);
        assert_eq!(xml(&["<<!ENTITY b '", &long, "'>"]), Err(Failure::Entity));
    }

    #[test]
    fn only_brackets_outside_of_texts_nest() {
        let json = |text: &str| Guard::Json(JsonGuard::default()).check(text.as_bytes());
        assert!(json(&"[".repeat(DEEPEST)).is_ok());
        assert_eq!(json(&"[{".repeat(DEEPEST)), Err(Failure::TooDeep));
        assert!(json(&format!("[\"{}\\\"{}\"]", "[".repeat(1000), "{".repeat(1000))).is_ok());
        assert!(json(&"[]".repeat(1000)).is_ok());
    }
}
