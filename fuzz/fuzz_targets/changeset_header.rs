//! A stored changeset that is read as a stream: however its bytes are split, its header is that of the whole. The first line contains the
//! lengths of the pieces, in turn.
#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use taxonomy_model::Hash;
use taxonomy_model::changeset::{self, Changeset, Header, HeaderReader, WrittenChangeset};

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(2, |byte| *byte == b'\n');
    let (sizes, body) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let whole = header(body, &[]);
    assert_eq!(header(body, sizes), whole);
    if let Ok((id, _)) = whole {
        assert_eq!(id, Hash::digest(body));
    }
    // Where the facts begin is looked for to the letter, so only what the writer wrote has to be understood.
    if let Ok(Changeset { header: read, facts }) = changeset::read(body) {
        let mut stored = Vec::new();
        let WrittenChangeset { id, .. } =
            changeset::write(&read, facts.into_iter(), &mut stored).expect("memory takes everything");
        assert_eq!(header(&stored, sizes), Ok((id, read)));
    }
});

/// In one piece where no sizes are given.
fn header(mut body: &[u8], sizes: &[u8]) -> Result<(Hash, Header), String> {
    let mut reader = HeaderReader::default();
    let mut sizes = sizes.iter().cycle();
    while !body.is_empty() {
        let size = sizes.next().map_or(body.len(), |size| 1 + usize::from(size % 32));
        let (piece, rest) = body.split_at(size.min(body.len()));
        reader.write_all(piece).expect("headers may be longer than this");
        body = rest;
    }
    reader.finish().map_err(|error| error.to_string())
}
