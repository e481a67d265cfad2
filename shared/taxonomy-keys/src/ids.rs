//! Validated identifiers: each is checked once, when it is parsed.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;

/// The largest depth of a term; a top term has depth 1 (docs/decisions/0003-input-file.md).
pub const MAX_DEPTH: u8 = 32;

/// A text violates the rule of an identifier, which `rule` states. The text itself is omitted, since it may be anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} must be {rule}")]
pub struct InvalidId {
    kind: &'static str,
    rule: &'static str,
}

/// The owner of a taxonomy, usually a GUID: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`, not all of them dots.
///
/// Such an id is valid, unescaped, in a key of the table, an S3 key and a segment of a URL.
///
/// ```
/// use taxonomy_keys::TenantId;
/// assert!("823a8c46-8464-4ce6-ae2d-026540681db2".parse::<TenantId>().is_ok());
/// assert!("a#b".parse::<TenantId>().is_err());
/// assert!("..".parse::<TenantId>().is_err(), "a dot segment is eaten by URL normalisation");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(Arc<str>);

impl TenantId {
    /// Returns the id as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TenantId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let allowed = |c: u8| c.is_ascii_alphanumeric() || b"._~-".contains(&c);
        let valid =
            (1..=64).contains(&text.len()) && text.bytes().all(allowed) && text.bytes().any(|c| c != b'.');
        if !valid {
            return Err(InvalidId {
                kind: "tenant id",
                rule: "1 to 64 of A-Z a-z 0-9 . _ ~ - and not only dots",
            });
        }
        Ok(Self(text.into()))
    }
}

impl Serialize for TenantId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TenantId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Numbers from 0 to 2^53-1, which every JSON reader represents exactly, written in decimal without leading zeros. Serialised as numbers.
macro_rules! numeric_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u64")]
        pub struct $name(u64);

        impl $name {
            /// The largest id, 2^53-1.
            pub const MAX: Self = Self((1 << 53) - 1);

            const INVALID: InvalidId =
                InvalidId { kind: $kind, rule: "a whole number from 0 to 9007199254740991" };

            /// Returns the id with this number, if it is in range.
            pub const fn new(number: u64) -> Option<Self> {
                if number <= Self::MAX.0 { Some(Self(number)) } else { None }
            }

            /// Returns the number.
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                canonical_decimal(text).and_then(Self::new).ok_or(Self::INVALID)
            }
        }

        impl TryFrom<u64> for $name {
            type Error = InvalidId;

            fn try_from(number: u64) -> Result<Self, InvalidId> {
                Self::new(number).ok_or(Self::INVALID)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

numeric_id!(
    /// A category of a tenant. A term may have the same number.
    CategoryId,
    "category id"
);
numeric_id!(
    /// A term of a tenant, unique over all its categories.
    ///
    /// ```
    /// use taxonomy_keys::TermId;
    /// assert_eq!("42".parse::<TermId>().unwrap().get(), 42);
    /// assert!("042".parse::<TermId>().is_err(), "one spelling an id, so that text and number agree");
    /// assert!("9007199254740992".parse::<TermId>().is_err());
    /// ```
    TermId,
    "term id"
);

/// Parses the canonical decimal form: digits only, no sign, no leading zero.
fn canonical_decimal(text: &str) -> Option<u64> {
    let canonical = text.bytes().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if canonical { text.parse().ok() } else { None }
}

/// A version of a tenant's taxonomy: 1, 2, 3 ... without gaps, at most 12 digits. Serialised as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64")]
pub struct Version(u64);

impl Version {
    /// The first version of a tenant.
    pub const FIRST: Self = Self(1);
    /// The largest version that fits into a key.
    pub const MAX: Self = Self(999_999_999_999);

    /// Returns the version with this number, if it is in range.
    pub const fn new(number: u64) -> Option<Self> {
        if number >= 1 && number <= Self::MAX.0 {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the version before this one; `None` for the first.
    pub const fn before(self) -> Option<Self> {
        Self::new(self.0 - 1)
    }

    /// Returns the next version. After [`Version::MAX`] it is the same one, and the commit of an existing version is refused.
    #[must_use]
    pub const fn next(self) -> Self {
        if self.0 < Self::MAX.0 {
            Self(self.0 + 1)
        } else {
            self
        }
    }
}

impl TryFrom<u64> for Version {
    type Error = InvalidId;

    fn try_from(number: u64) -> Result<Self, InvalidId> {
        Self::new(number).ok_or(InvalidId {
            kind: "version",
            rule: "a whole number from 1 to 999999999999",
        })
    }
}

/// Serialises an optional version as a number, 0 for `None`: `#[serde(with = "version_or_zero")]`.
pub mod version_or_zero {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Version;

    /// Writes the number.
    ///
    /// # Errors
    /// Those of `serializer`.
    pub fn serialize<S: Serializer>(version: &Option<Version>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(version.map_or(0, Version::get))
    }

    /// Reads the number.
    ///
    /// # Errors
    /// Those of `deserializer`, and one for a number that is too large.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let version = (number != 0).then(|| Version::try_from(number)).transpose();
        version.map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A calendar month in UTC, years 1970 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

impl Month {
    /// Returns the month with these numbers, if there is one.
    pub const fn new(year: u16, month: u8) -> Option<Self> {
        let valid = year >= 1970 && year <= 9999 && month >= 1 && month <= 12;
        if valid { Some(Self { year, month }) } else { None }
    }

    /// Returns the month, in UTC, of a time in epoch milliseconds; none after the year 9999.
    ///
    /// ```
    /// use taxonomy_keys::Month;
    /// assert_eq!(Month::at(951_782_399_999).unwrap().to_string(), "2000-02");
    /// assert_eq!(Month::at(951_868_800_000).unwrap().to_string(), "2000-03");
    /// ```
    pub fn at(epoch_ms: u64) -> Option<Self> {
        let seconds = i64::try_from(epoch_ms / 1000).ok()?;
        let time = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
        Self::new(u16::try_from(time.year()).ok()?, time.month().into())
    }
}

impl FromStr for Month {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let parts = text.split_once('-');
        let month = parts.and_then(|(year, month)| Self::new(year.parse().ok()?, month.parse().ok()?));
        // The comparison excludes other spellings, such as a month of one digit.
        let month = month.filter(|month| month.to_string() == text);
        month.ok_or(InvalidId {
            kind: "month",
            rule: "yyyy-mm",
        })
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}
