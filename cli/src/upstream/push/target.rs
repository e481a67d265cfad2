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

/// Returns the one file, or every file of a folder in the order of the file names.
///
/// # Errors
/// [`Failure::Usage`] when the tenant of a file is not known, [`Failure::Read`] when the folder cannot be read.
pub(super) fn targets(path: &Path, tenant: Option<&TenantId>) -> Result<Vec<TenantFile>, Failure> {
    let usage = |message: &str| Err(Failure::usage(message));
    if file::is_stdin(path) || !path.is_dir() {
        return match tenant {
            Some(tenant) => Ok(vec![TenantFile {
                path: path.to_owned(),
                tenant: tenant.clone(),
            }]),
            None => usage("a file needs `--tenant`; only files of a folder are named after theirs"),
        };
    }
    if tenant.is_some() {
        return usage("a folder has a file for each tenant, so it takes neither `--tenant` nor `--plan`");
    }
    let mut targets = Vec::new();
    for entry in fs::read_dir(path).map_err(Failure::read(path))? {
        let entry = entry.map_err(Failure::read(path))?.path();
        let Some(name) = entry.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let Some(stem) = name
            .strip_suffix(".json")
            .or_else(|| name.strip_suffix(".json.gz"))
        else {
            continue;
        };
        let tenant = stem.parse().map_err(|error| {
            Failure::Usage(format!(
                "{} is not named after a tenant: {error}",
                entry.display()
            ))
        })?;
        targets.push(TenantFile { path: entry, tenant });
    }
    targets.sort_by(|a, b| (&a.tenant, &a.path).cmp(&(&b.tenant, &b.path)));
    if let Some(pair) = targets.windows(2).find(|pair| pair[0].tenant == pair[1].tenant) {
        return usage(&format!("there are two files for the tenant {}", pair[0].tenant));
    }
    if targets.is_empty() {
        return usage("the folder has no file TENANT.json or TENANT.json.gz");
    }
    Ok(targets)
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
    fn files_of_a_folder_are_named_after_their_tenants() {
        let folder = folder("named", &["b.json", "a.json.gz", "README.md", "c.txt"]);
        let found = targets(&folder, None).unwrap();
        let tenants: Vec<&str> = found.iter().map(|target| target.tenant.as_str()).collect();
        assert_eq!(tenants, ["a", "b"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_whose_tenants_are_not_certain_is_refused() {
        let acme = "acme".parse().unwrap();
        refused(
            &folder("twice", &["a.json", "a.json.gz"]),
            None,
            "two files for the tenant a",
        );
        refused(
            &folder("strange", &["a b.json"]),
            None,
            "not named after a tenant",
        );
        refused(&folder("empty", &["README.md"]), None, "has no file");
        refused(&folder("one", &["a.json"]), Some(&acme), "neither");
        refused(Path::new("a.json"), None, "needs `--tenant`");
    }
}
