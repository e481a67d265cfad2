//! Reading a changeset fact by fact: a first version has as many facts as it has terms, each as large as its term.

use std::fmt;
use std::io::{self, BufReader, Read, Write};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Header, HeaderReader, ReadError};
use crate::fact::Fact;
use crate::hash::Hash;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 64 << 10;

/// Passes each fact of a changeset to `each`, and returns its header and the hash of its bytes. The caller compares the hash with the
/// changeset's id; until then the facts are those of an unknown body.
///
/// # Errors
/// [`ReadError`]: a damaged body or a newer format.
pub fn read_each(source: impl Read, each: impl FnMut(&Fact)) -> Result<(Header, Hash), ReadError> {
    let mut copied = Copied {
        source,
        header: HeaderReader::default(),
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BUFFER, &mut copied));
    let read = Body(each).deserialize(&mut json).and_then(|()| json.end());
    drop(json);
    // A header that cannot be read says more than the JSON behind it, such as a newer format.
    if copied.header.failed() || read.is_ok() {
        let (hash, header) = copied.header.finish()?;
        return Ok((header, hash));
    }
    read?;
    Err(ReadError::Facts)
}

/// Passes all bytes that are read on to the reader of the header, which hashes them.
struct Copied<R> {
    source: R,
    header: HeaderReader,
}

impl<R: Read> Read for Copied<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(bytes)?;
        self.header.write_all(&bytes[..read])?;
        Ok(read)
    }
}

/// A changeset of which only the facts are kept.
struct Body<F>(F);

impl<'de, F: FnMut(&Fact)> DeserializeSeed<'de> for Body<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: FnMut(&Fact)> Visitor<'de> for Body<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a changeset")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "facts" => map.next_value_seed(Facts(&mut self.0))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

struct Facts<'f, F>(&'f mut F);

impl<'de, F: FnMut(&Fact)> DeserializeSeed<'de> for Facts<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&Fact)> Visitor<'de> for Facts<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of facts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(fact) = seq.next_element::<Fact>()? {
            (self.0)(&fact);
        }
        Ok(())
    }
}
