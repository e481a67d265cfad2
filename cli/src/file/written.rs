//! The one way in which commands write files: each is whole, or as it was before.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;

use taxonomy_model::Hash;

use super::target::{Target, TargetKind, folder};
use crate::failure::Failure;

/// The most files beside a place that are tried for a new name.
const MOST_NAMES: u32 = 1000;

/// A file that is being written. One that is dropped before [`NewFile::close`] leaves its place as it was.
pub(crate) struct NewFile {
    target: Target,
    out: Out,
}

enum Out {
    /// Standard output, a pipe or a device, which gets the bytes at once.
    Direct(Box<dyn Write>),
    Beside(Beside),
}

/// A new file in the folder of its place, which moves there when it is complete.
struct Beside {
    out: BufWriter<File>,
    path: PathBuf,
    place: PathBuf,
    /// The file that it replaces, locked against commands that write into it.
    replaced: Option<File>,
    is_moved: bool,
}

impl Target {
    /// Begins a file. Its place shows it when it is closed; what is no regular file gets the bytes at once.
    ///
    /// # Errors
    /// [`Failure::WriteTo`], as for every method of [`NewFile`]; [`Failure::Unable`] where another command writes into the file.
    pub(crate) fn create(&self) -> Result<NewFile, Failure> {
        let out = match &self.place {
            TargetKind::Stdout => Out::Direct(Box::new(BufWriter::new(io::stdout()))),
            TargetKind::Special => {
                let opened = OpenOptions::new().write(true).open(&self.given);
                let opened = opened.map_err(|cause| self.failed(cause))?;
                Out::Direct(Box::new(BufWriter::new(opened)))
            }
            TargetKind::File(place) => {
                let replaced = match OpenOptions::new().write(true).open(place) {
                    Ok(file) => Some(file),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                    Err(cause) => return Err(self.failed(cause)),
                };
                if let Some(file) = &replaced {
                    self.locked(file.try_lock_shared())?;
                }
                let beside = Beside::create(place, replaced);
                Out::Beside(beside.map_err(|cause| self.failed(cause))?)
            }
        };
        Ok(NewFile {
            target: self.clone(),
            out,
        })
    }

    /// Creates a file with this content, as [`create`](Self::create) does.
    pub(crate) fn written(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<NewFile, Failure> {
        let mut file = self.create()?;
        file.write(write)?;
        Ok(file)
    }

    /// Opens the file to be written in its place, at its beginning and with the content that it has. No other command writes to it until
    /// it is dropped. None for standard output.
    ///
    /// # Errors
    /// [`Failure::WriteTo`]; [`Failure::Unable`] where another command writes to the file.
    pub(crate) fn open(&self) -> Result<Option<File>, Failure> {
        let mut options = OpenOptions::new();
        options.write(true);
        let path = match &self.place {
            TargetKind::Stdout => return Ok(None),
            TargetKind::Special => &self.given,
            TargetKind::File(place) => {
                options.read(true).create(true).truncate(false);
                place
            }
        };
        let file = options.open(path).map_err(|cause| self.failed(cause))?;
        if matches!(self.place, TargetKind::File(_)) {
            self.locked(file.try_lock())?;
        }
        Ok(Some(file))
    }

    /// Whether the target is a regular file, or will be one.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.place, TargetKind::File(_))
    }

    fn locked(&self, locked: Result<(), TryLockError>) -> Result<(), Failure> {
        match locked {
            Ok(()) => Ok(()),
            // File systems without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
            Err(TryLockError::Error(cause)) => Err(self.failed(cause)),
            Err(TryLockError::WouldBlock) => Err(Failure::unable(
                format!("another command writes to {}", self.given.display()),
                "Wait until it has ended, or write to another file.",
            )),
        }
    }

    pub(crate) fn failed(&self, cause: io::Error) -> Failure {
        match self.place {
            // A closed pipe is no failure, so its error has a kind of its own.
            TargetKind::Stdout => Failure::Write(cause),
            TargetKind::File(_) | TargetKind::Special => Failure::WriteTo {
                path: self.given.clone(),
                cause,
            },
        }
    }
}

impl NewFile {
    /// Writes to the file.
    pub(crate) fn write<T>(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, Failure> {
        let written = match &mut self.out {
            Out::Direct(out) => write(out),
            Out::Beside(beside) => write(&mut beside.out),
        };
        written.map_err(|cause| self.target.failed(cause))
    }

    /// Moves the complete file to its place.
    pub(crate) fn close(self) -> Result<(), Failure> {
        let closed = match self.out {
            Out::Direct(mut out) => out.flush(),
            Out::Beside(beside) => beside.replace(),
        };
        closed.map_err(|cause| self.target.failed(cause))
    }

    /// Moves the complete file to its place, if the file there has the content of which this is the hash; none if there was no file.
    ///
    /// # Errors
    /// [`Failure::Refused`] if another command replaced it meanwhile.
    pub(crate) fn close_over(self, read: Option<&Hash>) -> Result<(), Failure> {
        let Out::Beside(beside) = self.out else {
            return self.close();
        };
        let given = self.target.given.display();
        match beside.replace_if(read) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::refused(
                format!("{given} was changed by another command meanwhile"),
                "Repeat the command, which reads it again.",
            )),
            Err(cause) => Err(self.target.failed(cause)),
        }
    }
}

impl Beside {
    /// Creates a file that no other process has, with the mode of the file that it replaces.
    fn create(place: &Path, replaced: Option<File>) -> io::Result<Self> {
        let kept = replaced.as_ref().map(File::metadata).transpose()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(kept) = &kept {
            use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
            options.mode(kept.mode() & 0o7777);
        }
        let names = (0..MOST_NAMES).map(|number| format!(".taxonomy-{}-{number}.part", process::id()));
        for name in names {
            let path = folder(place).join(name);
            let file = match options.open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            let beside = Self {
                out: BufWriter::new(file),
                path,
                place: place.to_owned(),
                replaced,
                is_moved: false,
            };
            if let Some(kept) = kept {
                // Whatever the process masks.
                beside.out.get_ref().set_permissions(kept.permissions())?;
            }
            return Ok(beside);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes everything to the disk: after a crash, the place has the old file or the whole new one.
    fn complete(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }

    fn replace(mut self) -> io::Result<()> {
        self.complete()?;
        fs::rename(&self.path, &self.place)?;
        self.is_moved = true;
        Ok(())
    }

    /// Replaces the file with this hash, or takes the place where there is none. Returns whether it did.
    fn replace_if(mut self, read: Option<&Hash>) -> io::Result<bool> {
        self.complete()?;
        if let Some(replaced) = &self.replaced {
            // Of two commands that compare at the same time, the second one waits, and then finds the file of the first one.
            replaced.lock()?;
        }
        let found = match fs::read(&self.place) {
            Ok(bytes) => Some(Hash::digest(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if found.as_ref() != read {
            return Ok(false);
        }
        if found.is_none() {
            match fs::hard_link(&self.path, &self.place) {
                Ok(()) => return Ok(true),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
                // A file system without links.
                Err(_) => {}
            }
        }
        self.replace().map(|()| true)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.is_moved {
            // The failure that caused the drop is reported elsewhere; of two links to a file, one is left.
            let _ = fs::remove_file(&self.path);
        }
    }
}
