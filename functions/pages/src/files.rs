//! The files of `pages/`, as `build.rs` prepared them.

use taxonomy_runtime::http::Coding;

/// A file as it is served.
pub(crate) struct File {
    /// Its path below the stage.
    pub(crate) path: &'static str,
    pub(crate) media_type: &'static str,
    /// True for a file whose path has the digest of its content.
    pub(crate) is_asset: bool,
    identity: &'static [u8],
    gzip: &'static [u8],
    brotli: &'static [u8],
}

pub(crate) static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

impl File {
    /// The file at a path.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        FILES.iter().find(|file| file.path == path)
    }

    /// Its `Cache-Control`.
    pub(crate) fn cache_control(&self) -> &'static str {
        match self.is_asset {
            true => "public, max-age=31536000, immutable",
            false => "no-cache",
        }
    }

    /// The content in a coding.
    pub(crate) fn body(&self, coding: Coding) -> &'static [u8] {
        match coding {
            Coding::Brotli => self.brotli,
            Coding::Gzip => self.gzip,
            Coding::Identity => self.identity,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Read;
    use std::path::{Path, PathBuf};

    use super::*;

    fn below(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let paths = paths.map(|path| if path.is_dir() { below(&path) } else { vec![path] });
        paths.flatten().collect()
    }

    fn pages() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pages")
    }

    fn source(file: &File) -> PathBuf {
        let mut parts = file.path.trim_start_matches('/').splitn(4, '/');
        let (page, rest) = (parts.next().unwrap(), parts.nth(2));
        let folder = pages().join(page);
        rest.map_or(folder.join("index.html"), |rest| folder.join("assets").join(rest))
    }

    #[test]
    fn every_file_of_a_page_is_there() {
        let files = ["explore", "docs"].map(|page| below(&pages().join(page)));
        let expect: BTreeSet<PathBuf> = files.concat().into_iter().collect();
        assert_eq!(FILES.iter().map(source).collect::<BTreeSet<_>>(), expect);
        assert_eq!(FILES.len(), expect.len());
    }

    #[test]
    fn each_coding_has_the_same_content() {
        for file in FILES {
            let (mut gzip, mut brotli) = (Vec::new(), Vec::new());
            let mut decoder = flate2::read::GzDecoder::new(file.gzip);
            decoder.read_to_end(&mut gzip).unwrap();
            brotli::BrotliDecompress(&mut &*file.brotli, &mut brotli).unwrap();
            assert!(gzip == file.identity && brotli == file.identity, "{}", file.path);
            if file.is_asset {
                let source = std::fs::read(source(file)).unwrap();
                assert!(source == file.identity, "{}", file.path);
            }
        }
    }

    #[test]
    fn a_page_names_assets_that_are_there() {
        for page in ["/explore", "/docs"] {
            let text = std::str::from_utf8(File::at(page).unwrap().identity).unwrap();
            let named: Vec<&str> = text.split('"').filter(|text| text.contains("/assets/")).collect();
            assert!(named.len() > 1, "{page}");
            for path in named {
                let file = File::at(&format!("/{path}"));
                assert!(file.is_some_and(|file| file.is_asset), "{path}");
            }
        }
    }
}
