//! An import of SKOS in Turtle and TriG, and in N-Quads: any bytes are read or refused at a place, and what is written is a file that the service takes.
#![no_main]

mod foreign;

use libfuzzer_sys::fuzz_target;
use taxonomy_import::sources::SourceFormat;

fuzz_target!(|bytes: &[u8]| {
    foreign::check(SourceFormat::Turtle, bytes);
    foreign::check(SourceFormat::NQuads, bytes);
});
