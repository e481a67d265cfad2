//! Compresses the files of `pages/` in advance and writes the table of them, `files.rs`, which `src/files.rs` includes.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// The pages: the folder of each, and the path at which it is served. Both use the assets of the explorer.
const PAGES: [&str; 2] = ["explore", "docs"];
/// The folder of the assets below `pages/`, and their path.
const ASSETS: &str = "explore/assets";
/// Hex digits of the digest in the paths of assets.
const DIGITS: usize = 16;

/// A file as it is served.
struct File {
    path: String,
    media_type: &'static str,
    is_asset: bool,
    body: Vec<u8>,
}

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder by a variable")]
fn main() -> io::Result<()> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pages");
    let out =
        PathBuf::from(std::env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set"))?);
    println!("cargo::rerun-if-changed={}", pages.display());
    let mut table = String::from("&[\n");
    for (number, file) in files(&pages)?.into_iter().enumerate() {
        let names = ["identity", "gzip", "br"].map(|form| format!("{number}.{form}"));
        for (name, body) in names
            .iter()
            .zip([&file.body, &gzip(&file.body)?, &brotli(&file.body)?])
        {
            fs::write(out.join(name), body)?;
        }
        let [identity, gzip, brotli] =
            names.map(|name| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))"));
        let File {
            path,
            media_type,
            is_asset,
            ..
        } = file;
        writeln!(
            table,
            "File {{ path: {path:?}, media_type: {media_type:?}, is_asset: {is_asset}, identity: {identity}, gzip: {gzip}, brotli: {brotli} }},"
        )
        .map_err(io::Error::other)?;
    }
    table.push(']');
    fs::write(out.join("files.rs"), table)
}

/// The pages and their assets, which lie below the digest of all of them: modules refer to each other by relative paths.
fn files(pages: &Path) -> io::Result<Vec<File>> {
    let assets = below(&pages.join(ASSETS))?;
    let digest = digest(&assets);
    let mut files = Vec::new();
    for page in PAGES {
        let index = fs::read_to_string(pages.join(page).join("index.html"))?;
        let index = index.replace(&format!("{ASSETS}/"), &format!("{ASSETS}/{digest}/"));
        files.push(File {
            path: format!("/{page}"),
            media_type: "text/html; charset=utf-8",
            is_asset: false,
            body: index.into_bytes(),
        });
    }
    for (name, body) in assets {
        let media_type = media_type(&name)?;
        files.push(File {
            path: format!("/{ASSETS}/{digest}/{name}"),
            media_type,
            is_asset: true,
            body,
        });
    }
    Ok(files)
}

/// The files below a folder with their paths in it, in the order of the paths.
fn below(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    let mut left = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = left.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry
                .file_name()
                .into_string()
                .map_err(|name| io::Error::other(format!("{name:?} is not Unicode")))?;
            let path = format!("{prefix}{name}");
            match entry.file_type()?.is_dir() {
                true => left.push((entry.path(), format!("{path}/"))),
                false => files.push((path, fs::read(entry.path())?)),
            }
        }
    }
    files.sort();
    Ok(files)
}

fn digest(files: &[(String, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    for (path, body) in files {
        // Lengths keep one file's end apart from the next one's beginning.
        hash.update((path.len() as u64).to_be_bytes());
        hash.update(path);
        hash.update((body.len() as u64).to_be_bytes());
        hash.update(body);
    }
    let digits = hash
        .finalize()
        .iter()
        .fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"));
    digits.chars().take(DIGITS).collect()
}

fn media_type(name: &str) -> io::Result<&'static str> {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js") => Ok("text/javascript; charset=utf-8"),
        Some("css") => Ok("text/css; charset=utf-8"),
        Some("svg") => Ok("image/svg+xml"),
        Some("txt") => Ok("text/plain; charset=utf-8"),
        _ => Err(io::Error::other(format!("pages: {name} has no media type"))),
    }
}

fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body)?;
    encoder.finish()
}

fn brotli(body: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        size_hint: body.len(),
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*body, &mut compressed, &parameters)?;
    Ok(compressed)
}
