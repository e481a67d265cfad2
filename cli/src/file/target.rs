//! The place that a command writes to, compared with what it reads before anything is read or written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{is_stdin, name};
use crate::failure::Failure;

/// The most links that lead to a file, as of Linux.
const MOST_LINKS: usize = 40;

/// A place to write to: standard output, a regular file that is there or not, or something else, such as a pipe or a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The path as it was given.
    pub(super) given: PathBuf,
    pub(super) place: TargetKind,
}

/// The kind of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetKind {
    Stdout,
    /// A regular file, or none yet: the path behind all links.
    File(PathBuf),
    /// A pipe, a device or a folder, by its path as it was given.
    Special,
}

/// The identity of a file, the same by every path to it.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// A regular file, by device and number.
    #[cfg(unix)]
    Number(u64, u64),
    /// A file that is not there, or cannot be numbered, by its path behind all links.
    Path(PathBuf),
}

impl Target {
    /// A place to write to, `-` for standard output, for a command that reads `inputs`, where `-` is standard input.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the place is one of the inputs, through whatever link; [`Failure::WriteTo`] if its links lead nowhere.
    pub(crate) fn new<'p>(path: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<Self, Failure> {
        let place = place(path).map_err(|cause| Failure::WriteTo {
            path: path.to_owned(),
            cause,
        })?;
        let target = Self {
            given: path.to_owned(),
            place,
        };
        let identity = target.identity();
        let replaced = inputs
            .into_iter()
            .find(|input| identity.is_some() && identity == identity_of_input(input));
        match replaced {
            Some(input) => Err(Failure::Usage(format!(
                "the output {} would replace its input {}",
                path.display(),
                name(input)
            ))),
            None => Ok(target),
        }
    }

    /// A place for a command that writes to standard output without a path.
    ///
    /// # Errors
    /// As [`Target::new`].
    pub(crate) fn or_stdout<'p>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<Self, Failure> {
        Self::new(path.unwrap_or(Path::new("-")), inputs)
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.place == TargetKind::Stdout
    }

    /// Refuses two places that are one.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub(crate) fn differs_from(&self, other: &Self) -> Result<(), Failure> {
        let is_same = self.identity().is_some_and(|one| Some(one) == other.identity());
        match is_same || (self.is_stdout() && other.is_stdout()) {
            true => Err(Failure::Usage(format!(
                "{} and {} are the same file, and two are to be written",
                self.given.display(),
                other.given.display()
            ))),
            false => Ok(()),
        }
    }

    /// None for what can be read and written at the same time.
    fn identity(&self) -> Option<FileIdentity> {
        match &self.place {
            // Where standard output is appended to a file, that file must not be the input.
            TargetKind::Stdout => identity_of_file(Path::new("/dev/stdout")),
            TargetKind::File(path) => {
                identity_of_file(path).or_else(|| Some(FileIdentity::Path(path.clone())))
            }
            TargetKind::Special => None,
        }
    }
}

/// The identity of an input; none for what is no regular file.
fn identity_of_input(path: &Path) -> Option<FileIdentity> {
    let path = if is_stdin(path) {
        Path::new("/dev/stdin")
    } else {
        path
    };
    identity_of_file(path)
}

#[cfg(unix)]
fn identity_of_file(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(FileIdentity::Number(found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity_of_file(path: &Path) -> Option<FileIdentity> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    path.canonicalize()
        .ok()
        .filter(|_| is_file)
        .map(FileIdentity::Path)
}

fn place(path: &Path) -> io::Result<TargetKind> {
    if ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|stdout| path == Path::new(stdout))
    {
        return Ok(TargetKind::Stdout);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(TargetKind::File(path.canonicalize()?)),
        Ok(_) => Ok(TargetKind::Special),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TargetKind::File(behind_links(path)?)),
        Err(error) => Err(error),
    }
}

/// The path of a file that is not there, behind the links that lead to it.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder(&path).to_owned();
        match fs::read_link(&path) {
            Ok(next) => path = folder.join(next),
            // Two paths to a folder are one.
            Err(_) => return Ok(folder.canonicalize()?.join(path.file_name().unwrap_or_default())),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// The folder of a file; `.` for a name alone.
pub(super) fn folder(path: &Path) -> &Path {
    let parent = path.parent().unwrap_or(Path::new("."));
    if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    }
}
