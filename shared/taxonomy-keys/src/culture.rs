//! Cultures (BCP 47 language tags).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use oxilangtag::LanguageTag;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

use crate::subtags::Subtags;

/// A well-formed BCP 47 tag in its canonical case, at most 35 characters (the buffer that RFC 5646 section 4.4.1 requires).
///
/// ```
/// use taxonomy_keys::Culture;
/// let culture: Culture = "zh-hant-tw".parse().unwrap();
/// assert_eq!(culture.as_str(), "zh-Hant-TW");
/// assert_eq!(culture, "ZH-HANT-TW".parse().unwrap());
/// assert!("english".parse::<Culture>().is_ok(), "well-formed, though not registered");
/// assert!("en_GB".parse::<Culture>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Culture(Arc<str>);

/// A text is not a well-formed language tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a culture must be a BCP 47 language tag of at most 35 characters, such as en-GB")]
pub struct InvalidCulture;

impl Culture {
    const MAX_LEN: usize = 35;

    /// Returns the tag in canonical case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what the culture is written in.
    pub fn writing(&self) -> Writing<'_> {
        Subtags::new(&self.0).writing()
    }
}

/// Language, script and region of a culture, as they are called now, with the script that it leaves unsaid.
///
/// ```
/// use taxonomy_keys::{Culture, Writing};
/// let culture: Culture = "zh-TW".parse().unwrap();
/// assert_eq!(culture.writing(), Writing { language: "zh", script: "Hant", region: Some("TW") });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writing<'a> {
    /// The language, such as `no` for `nb`.
    pub language: &'a str,
    /// The script; empty where CLDR knows none.
    pub script: &'a str,
    /// The region of the tag.
    pub region: Option<&'a str>,
}

impl FromStr for Culture {
    type Err = InvalidCulture;

    fn from_str(text: &str) -> Result<Self, InvalidCulture> {
        if text.len() > Self::MAX_LEN {
            return Err(InvalidCulture);
        }
        let tag = LanguageTag::parse_and_normalize(text).map_err(|_| InvalidCulture)?;
        Ok(Self(tag.as_str().into()))
    }
}

impl Serialize for Culture {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Accepts a tag in any case.
impl<'de> Deserialize<'de> for Culture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tag = Cow::<'de, str>::deserialize(deserializer)?;
        tag.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Culture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
