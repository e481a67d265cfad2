//! Removes the white space from the description of the API, which the function contains as it is served.

use std::fs;
use std::io;
use std::path::PathBuf;

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder by a variable")]
fn main() -> io::Result<()> {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    println!("cargo::rerun-if-changed={document}");
    let out =
        PathBuf::from(std::env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
    fs::write(out.join("openapi.json"), compact(&fs::read_to_string(document)?))
}

/// Returns JSON without the white space outside of its strings.
fn compact(json: &str) -> String {
    let (mut is_string, mut is_escaped) = (false, false);
    json.chars()
        .filter(|&c| {
            let is_kept = is_string || !c.is_ascii_whitespace();
            is_string ^= c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_kept
        })
        .collect()
}
