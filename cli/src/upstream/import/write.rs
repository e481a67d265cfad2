//! The files of an import: in memory, and written when all of them are complete.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use taxonomy_import::IdMap;
use taxonomy_model::Hash;

use super::{Import, ImportOutcome, json};
use crate::failure::Failure;
use crate::file::{MAX_BYTES, NewFile, Target};

/// The imported file in memory, up to the largest size that the service accepts.
#[derive(Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// Whether the file exceeds this size; `bytes` is then incomplete.
    pub(super) is_too_large: bool,
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_too_large |= (self.bytes.len() + bytes.len()) as u64 > MAX_BYTES;
        if !self.is_too_large {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The files that an accepted import writes.
pub(super) struct Imported {
    pub(super) file: Vec<u8>,
    pub(super) ids: IdMap,
    /// The hash of the id map that was read; none if there was none.
    pub(super) read_ids: Option<Hash>,
}

/// The places of the files.
pub(super) struct Targets {
    out: Target,
    ids: Option<Target>,
    report: Option<Target>,
}

impl Targets {
    /// The places that the arguments name, each another one, and none of them one of the sources.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub(super) fn new(arguments: &Import) -> Result<Self, Failure> {
        let sources = arguments.files.iter().map(|file| file.path.as_path());
        let inputs: Vec<&Path> = sources.chain(arguments.replaced.as_deref()).collect();
        let target = |path: &PathBuf| Target::new(path, inputs.iter().copied());
        let targets = Self {
            out: target(&arguments.out)?,
            ids: arguments.ids.as_ref().map(target).transpose()?,
            report: arguments.report.as_ref().map(target).transpose()?,
        };
        if targets.ids.as_ref().is_some_and(|ids| !ids.is_file()) {
            return Err(Failure::usage(
                "the id map is a file, which the next import reads",
            ));
        }
        let named: Vec<&Target> = [&targets.ids, &targets.report]
            .into_iter()
            .flatten()
            .chain([&targets.out])
            .collect();
        for (at, target) in named.iter().enumerate() {
            named[..at]
                .iter()
                .try_for_each(|other| target.differs_from(other))?;
        }
        Ok(targets)
    }

    /// Whether standard output has one of the files.
    pub(super) fn has_stdout(&self) -> bool {
        self.out.is_stdout() || self.report.as_ref().is_some_and(Target::is_stdout)
    }

    /// Writes the files of an accepted import, and the report of any. Nothing is replaced before all of them are complete.
    pub(super) fn write(&self, imported: Option<&Imported>, outcome: &ImportOutcome) -> Result<(), Failure> {
        let report = self.report.as_ref();
        let report = report
            .map(|report| report.written(|mut out| json::write(&mut out, outcome)))
            .transpose()?;
        if let Some(imported) = imported {
            let file = self.out.written(|out| out.write_all(&imported.file))?;
            // The id map is moved first: if moving the file then fails, the next import still finds the ids.
            if let Some(ids) = &self.ids {
                let ids = ids.written(|out| imported.ids.write(out))?;
                ids.close_over(imported.read_ids.as_ref())?;
            }
            file.close()?;
        }
        report.map_or(Ok(()), NewFile::close)
    }
}
