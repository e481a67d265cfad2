//! Reads the files of an import: source files, the id map and the replacements.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Graph, IdMap, ImportReport, Replacements, Stop};
use taxonomy_keys::{Culture, InvalidCulture};
use taxonomy_model::Hash;

use super::Import;
use crate::failure::Failure;
use crate::file::{self, GZIP};

/// The size of the read buffer of a file, in bytes.
const BUFFER: usize = 64 << 10;

/// A file of a source, and the culture given with it.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    culture: Option<Culture>,
    pub(super) path: PathBuf,
}

impl From<&OsStr> for SourceFile {
    fn from(argument: &OsStr) -> Self {
        let named = argument.to_str().and_then(|text| text.split_once('='));
        let named = named.and_then(|(tag, path)| Some((tag.parse().ok()?, path)));
        match named {
            Some((culture, path)) => Self {
                culture: Some(culture),
                path: path.into(),
            },
            None => Self {
                culture: culture_of_name(Path::new(argument)),
                path: argument.into(),
            },
        }
    }
}

/// Returns the culture at the end of a file name: `taxonomy.de-DE.txt`.
fn culture_of_name(path: &Path) -> Option<Culture> {
    let mut name = path.file_name()?.to_str()?;
    name = name.strip_suffix(".gz").unwrap_or(name);
    let (name, _) = name.rsplit_once('.')?;
    let (_, tag) = name.rsplit_once(['.', '_'])?;
    culture_of_tag(tag)
}

/// Returns the culture of a tag of two letters, or with a region or script: a name such as `products.new.csv` has none.
fn culture_of_tag(tag: &str) -> Option<Culture> {
    let is_tag = tag.len() == 2 || tag.contains('-');
    tag.parse().ok().filter(|_| is_tag)
}

impl SourceFile {
    /// Reads the file into the graph. Returns whether the import may read the next file. Shopify has a folder for each culture.
    ///
    /// # Errors
    /// [`Failure::Read`].
    pub(super) fn read(&self, format: SourceFormat, graph: &mut Graph) -> Result<bool, Failure> {
        let of_folder = || {
            let folder = self.path.parent().filter(|_| format == SourceFormat::Shopify)?;
            folder.file_name()?.to_str().and_then(culture_of_tag)
        };
        let culture = self.culture.clone().or_else(of_folder);
        graph.begin_file(&file::name(&self.path), culture);
        let opened: io::Result<Box<dyn Read>> = match file::is_stdin(&self.path) {
            true => Ok(Box::new(io::stdin().lock())),
            false => File::open(&self.path).map(|file| Box::new(file) as _),
        };
        let read = opened.map_err(Stop::Io).and_then(|file| {
            let input = BufReader::with_capacity(BUFFER, file);
            decoded(input, format, graph)
        });
        match read {
            Ok(()) => Ok(true),
            Err(Stop::Refused) => Ok(false),
            Err(Stop::Io(cause)) => Err(Failure::read(&self.path)(cause)),
        }
    }
}

fn decoded(mut input: impl BufRead, format: SourceFormat, graph: &mut Graph) -> Result<(), Stop> {
    if input.fill_buf()?.starts_with(&GZIP) {
        let mut decoder = BufReader::with_capacity(BUFFER, MultiGzDecoder::new(input));
        return format.read(&mut decoder, graph);
    }
    format.read(&mut input, graph)
}

/// Returns the culture used if no argument or file names one: the default of the stack's parameter `DefaultCulture`.
///
/// # Errors
/// Never: the constant is a valid tag.
pub(super) fn usual_culture() -> Result<Culture, Failure> {
    let culture = "en-GB".parse();
    culture.map_err(|error: InvalidCulture| Failure::Usage(error.to_string()))
}

/// An id map as it was read.
pub(super) struct StoredIds {
    /// None without the options, and an empty map if nothing keeps the ids or the file does not exist.
    pub(super) map: Option<IdMap>,
    /// The hash of the file; none if it does not exist.
    pub(super) hash: Option<Hash>,
}

/// Reads the id map.
///
/// # Errors
/// [`Failure::Read`].
pub(super) fn ids(arguments: &Import, report: &mut ImportReport) -> Result<StoredIds, Failure> {
    let Some(path) = arguments.ids.as_deref() else {
        let map = arguments.new_ids.then(IdMap::default);
        return Ok(StoredIds { map, hash: None });
    };
    let name = file::name(path);
    match fs::read(path) {
        Ok(bytes) => Ok(StoredIds {
            // The report contains the errors of a refused map.
            map: Some(IdMap::read(bytes.as_slice(), &name, report).unwrap_or_default()),
            hash: Some(Hash::digest(&bytes)),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(StoredIds {
            map: Some(IdMap::default()),
            hash: None,
        }),
        Err(cause) => Err(Failure::read(path)(cause)),
    }
}

/// Reads the replacements. Returns an empty list without the option, and `None` if the file is refused.
///
/// # Errors
/// [`Failure::Read`].
pub(super) fn replaced(
    path: Option<&Path>,
    report: &mut ImportReport,
) -> Result<Option<Replacements>, Failure> {
    let Some(path) = path else {
        return Ok(Some(Replacements::default()));
    };
    let file = File::open(path).map_err(Failure::read(path))?;
    Ok(Replacements::read(file, &file::name(path), report).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_may_end_with_its_culture() {
        for (argument, culture, path) in [
            ("with-ids.de-DE.txt", Some("de-DE"), "with-ids.de-DE.txt"),
            ("skills_sv.csv.gz", Some("sv"), "skills_sv.csv.gz"),
            ("products.new.csv", None, "products.new.csv"),
            ("products.csv", None, "products.csv"),
            ("fr-FR=a=b.txt", Some("fr-FR"), "a=b.txt"),
            ("a/b=c.txt", None, "a/b=c.txt"),
            ("-", None, "-"),
        ] {
            let input = SourceFile::from(OsStr::new(argument));
            let culture = culture.map(|tag| tag.parse().unwrap());
            assert_eq!(input.culture, culture, "{argument}");
            assert_eq!(input.path, Path::new(path));
        }
    }
}
