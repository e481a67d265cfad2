//! Determines the files of a push and their tenants.

use std::fs;
use std::path::{Path, PathBuf};

use taxonomy_keys::TenantId;

use crate::failure::Failure;
use crate::file;

/// A file and its tenant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TenantFile {
    pub(super) path: PathBuf,
    pub(super) tenant: TenantId,
}

/// What is to be pushed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Targets {
    /// By tenant.
    pub(super) files: Vec<TenantFile>,
    /// The names of what a folder has beside them, ascending.
    pub(super) passed_over: Vec<String>,
}

/// Returns the one file, or every file of a folder that is named after a tenant. Hidden files, such as `._acme.json` of macOS, and what is no
/// regular file are passed over: reading a pipe could wait for ever.
///
/// # Errors
/// [`Failure::Usage`] when the tenant of a file is not known, [`Failure::Read`] when the folder cannot be read.
pub(super) fn targets(path: &Path, tenant: Option<&TenantId>) -> Result<Targets, Failure> {
    let usage = |message: &str| Err(Failure::usage(message));
    if file::is_stdin(path) || !path.is_dir() {
        return match tenant {
            Some(tenant) => Ok(Targets {
                files: vec![TenantFile {
                    path: path.to_owned(),
                    tenant: tenant.clone(),
                }],
                passed_over: Vec::new(),
            }),
            None => usage("a file needs `--tenant`; only files of a folder are named after theirs"),
        };
    }
    if tenant.is_some() {
        return usage("a folder has a file for each tenant, so it takes neither `--tenant` nor `--plan`");
    }
    let (mut files, mut passed_over) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(path).map_err(Failure::read(path))? {
        let entry = entry.map_err(Failure::read(path))?.path();
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let stem = name
            .strip_suffix(".json")
            .or_else(|| name.strip_suffix(".json.gz"))
            .filter(|_| !name.starts_with('.') && entry.is_file());
        let Some(stem) = stem else {
            passed_over.push(name.into_owned());
            continue;
        };
        let tenant = stem.parse().map_err(|error| {
            Failure::Usage(format!(
                "{} is not named after a tenant: {error}",
                entry.display()
            ))
        })?;
        files.push(TenantFile { path: entry, tenant });
    }
    files.sort_by(|a, b| (&a.tenant, &a.path).cmp(&(&b.tenant, &b.path)));
    passed_over.sort_unstable();
    if let Some(pair) = files.windows(2).find(|pair| pair[0].tenant == pair[1].tenant) {
        return usage(&format!("there are two files for the tenant {}", pair[0].tenant));
    }
    if files.is_empty() {
        return usage("the folder has no file TENANT.json or TENANT.json.gz");
    }
    Ok(Targets { files, passed_over })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("taxonomy-targets-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        for file in files {
            fs::write(folder.join(file), "{}").unwrap();
        }
        folder
    }

    fn refused(path: &Path, tenant: Option<&TenantId>, says: &str) {
        let error = targets(path, tenant).unwrap_err().to_string();
        let _ = fs::remove_dir_all(path);
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn files_of_a_folder_are_named_after_their_tenants_and_others_passed_over() {
        let odd = "acme.JSON acme.json.GZ ._a.json .b.json.gz .json c.txt";
        let odd: Vec<&str> = odd.split(' ').collect();
        let folder = folder("odd", &[&odd[..], &["b.json", "a.json.gz"]].concat());
        fs::create_dir(folder.join("folder.json")).unwrap();
        let mut passed_over = [&odd[..], &["folder.json"]].concat();
        #[cfg(unix)]
        {
            let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, folder.join(name)).unwrap();
            link(Path::new("b.json"), "linked.json");
            link(Path::new("nowhere"), "lost.json");
            link(Path::new("/dev/zero"), "endless.json");
            let mut pipe = std::process::Command::new("mkfifo");
            let made = pipe.arg(folder.join("pipe.json")).status();
            assert!(made.unwrap().success());
            passed_over.extend(["endless.json", "lost.json", "pipe.json"]);
        }
        passed_over.sort_unstable();
        let found = targets(&folder, None).unwrap();
        assert_eq!(found.passed_over, passed_over);
        let names = found.files.iter().map(|target| target.tenant.as_str());
        let expected = if cfg!(unix) { "a b linked" } else { "a b" };
        assert_eq!(names.collect::<Vec<_>>().join(" "), expected);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_whose_tenants_are_not_certain_is_refused() {
        let acme = "acme".parse().unwrap();
        let twice = folder("twice", &["a.json", "a.json.gz"]);
        refused(&twice, None, "two files for the tenant a");
        let strange = folder("strange", &["a b.json"]);
        refused(&strange, None, "not named after a tenant");
        refused(&folder("empty", &["README.md"]), None, "has no file");
        refused(&folder("one", &["a.json"]), Some(&acme), "neither");
        refused(Path::new("a.json"), None, "needs `--tenant`");
    }
}
