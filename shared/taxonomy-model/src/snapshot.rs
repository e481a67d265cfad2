//! The canonical form of a version: one text for one content, so that its hash names the content.
//! The bytes are the storage format (docs/decisions/0002-stored-bodies.md).

use std::fmt;
use std::io::{self, BufReader, Read, Write};

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use taxonomy_keys::Culture;

use crate::PROJECTION_FORMAT;
use crate::changes::record::{InvalidRecord, Record, TaxonomyBuilder};
use crate::hash::{Hash, Hashing};
use crate::taxonomy::Taxonomy;
use crate::taxonomy::settings::Settings;

/// The snapshot format that this build writes; it reads every earlier one.
pub const FORMAT_VERSION: u32 = 1;

/// Writes the canonical form of `taxonomy` into `out` and returns its hash, the *state hash* of the version.
///
/// # Errors
/// Those of `out`.
pub fn write(taxonomy: &Taxonomy, out: impl Write) -> io::Result<Hash> {
    write_in_format(taxonomy, PROJECTION_FORMAT, out)
}

/// The same for another projection format than that of this build.
///
/// # Errors
/// Whatever `out` fails with.
pub fn write_in_format(taxonomy: &Taxonomy, projection_format: u32, out: impl Write) -> io::Result<Hash> {
    let settings = taxonomy.settings();
    let body = Body {
        format_version: FORMAT_VERSION,
        projection_format,
        default_culture: &settings.default_culture,
        fallback_chain: &settings.fallback_chain,
        categories: taxonomy,
        terms: taxonomy,
    };
    Hashing::write_json(out, &body)
}

/// The stored form, in the order of its bytes. The records are created and serialised one by one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    format_version: u32,
    projection_format: u32,
    default_culture: &'a Culture,
    fallback_chain: &'a [Culture],
    #[serde(serialize_with = "categories")]
    categories: &'a Taxonomy,
    #[serde(serialize_with = "terms")]
    terms: &'a Taxonomy,
}

fn categories<S: Serializer>(taxonomy: &Taxonomy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(taxonomy.categories().map(Record::of_category))
}

fn terms<S: Serializer>(taxonomy: &Taxonomy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(taxonomy.terms().map(Record::of_term))
}

/// Returns the state hash alone, in the projection format of this build.
pub fn hash(taxonomy: &Taxonomy) -> Hash {
    hash_as(taxonomy, PROJECTION_FORMAT)
}

/// The same for another projection format than that of this build.
pub fn hash_as(taxonomy: &Taxonomy, projection_format: u32) -> Hash {
    // Writing to a sink does not fail.
    write_in_format(taxonomy, projection_format, io::sink()).unwrap_or_else(|_| Hash::digest(b""))
}

/// A stored snapshot cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not JSON, or not in the form of a snapshot.
    #[error("the snapshot cannot be read")]
    Json(#[from] serde_json::Error),
    /// Written by a later build.
    #[error("snapshot format {0} is not known to this build")]
    Format(u64),
    /// Its records are not a taxonomy.
    #[error("the snapshot's records make no taxonomy")]
    Records(#[from] InvalidRecord),
}

/// Reads a canonical snapshot, record by record, in the memory of the taxonomy alone, and returns the hash of its bytes.
///
/// # Errors
/// [`ReadError`] for a damaged body or a newer format. The caller compares the hash.
pub fn read(source: impl Read) -> Result<(Taxonomy, Hash), ReadError> {
    let mut parts = SnapshotParts::default();
    let mut source = Hashing::new(source);
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BUFFER, &mut source));
    SnapshotSeed(&mut parts).deserialize(&mut json)?;
    json.end()?;
    drop(json);
    let SnapshotParts {
        format,
        builder,
        damage,
        default_culture,
        fallback_chain,
    } = parts;
    if format != u64::from(FORMAT_VERSION) {
        return Err(ReadError::Format(format));
    }
    if let Some(damage) = damage {
        return Err(damage.into());
    }
    let default_culture =
        default_culture.ok_or_else(|| serde_json::Error::custom("a snapshot needs a default culture"))?;
    let taxonomy = builder.finish(Settings {
        default_culture,
        fallback_chain,
    })?;
    Ok((taxonomy, source.finish()))
}

/// The size of the read buffer, in bytes.
const BUFFER: usize = 64 << 10;

#[derive(Default)]
struct SnapshotParts {
    format: u64,
    builder: TaxonomyBuilder,
    damage: Option<InvalidRecord>,
    default_culture: Option<Culture>,
    fallback_chain: Vec<Culture>,
}

struct SnapshotSeed<'r>(&'r mut SnapshotParts);

impl<'de> DeserializeSeed<'de> for SnapshotSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SnapshotSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a snapshot")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let parts = self.0;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "formatVersion" => parts.format = map.next_value()?,
                "defaultCulture" => parts.default_culture = Some(map.next_value()?),
                "fallbackChain" => parts.fallback_chain = map.next_value()?,
                "categories" => map.next_value_seed(Records(parts, TaxonomyBuilder::push_category))?,
                "terms" => map.next_value_seed(Records(parts, TaxonomyBuilder::push_term))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Records<'r>(
    &'r mut SnapshotParts,
    fn(&mut TaxonomyBuilder, Record) -> Result<(), InvalidRecord>,
);

impl<'de> DeserializeSeed<'de> for Records<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Records<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self(parts, push) = self;
        while let Some(record) = seq.next_element()? {
            if let Err(damage) = push(&mut parts.builder, record) {
                parts.damage.get_or_insert(damage);
            }
        }
        Ok(())
    }
}
