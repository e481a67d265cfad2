//! An index file: any bytes are read or refused. The checksums of a file stop random changes early, so the target also reads the input
//! as the content of a footer, with a trailer that fits it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taxonomy_index::{Expected, File, IdTable, Part, PartName};
use taxonomy_keys::Version;
use taxonomy_model::Hash;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&forged(bytes));
});

fn read(bytes: &[u8]) {
    let (tenant, changeset) = ("acme".parse().expect("an id"), Hash::digest(b""));
    let expected = Expected {
        tenant: &tenant,
        version: Version::FIRST,
        changeset: &changeset,
    };
    let Ok(file) = File::open(bytes, expected) else {
        return;
    };
    let footer = file.footer();
    let is_inside = |part: Part| part.range().end <= bytes.len() as u64;
    assert!(footer.parts().all(is_inside));
    for ordinal in [0, 1, footer.ordinals().end, u32::MAX] {
        assert!(footer.block_of(ordinal).is_none_or(|(_, part)| is_inside(part)));
        assert!(footer.column_of(ordinal).is_none_or(|(_, part)| is_inside(part)));
    }
    for table in IdTable::ALL {
        let mut buckets = footer.buckets(table, 7..=7);
        assert!(buckets.all(|(_, part)| matches!(part.name, PartName::Bucket(of, _) if of == table)));
    }
    let _ = file.digest();
    let _ = file.tombstones(None).count();
}

/// A file without parts whose footer is the input.
fn forged(content: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let packed = zstd::bulk::compress(content, 1).expect("memory takes everything");
    let sum = Sha256::digest(&packed);
    let lengths = [0, packed.len() as u64, content.len() as u64].map(u64::to_le_bytes);
    [&packed, lengths.as_flattened(), &sum[..8], b"TAXINDX1"].concat()
}
