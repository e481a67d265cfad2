//! `docs/first-session.md`, executed over the stack that the environment names: `make prove NAMES=cli`. The page as it would read now is written
//! beside the build with `TRYCMD=overwrite`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const TENANT: &str = "acme";

#[test]
fn the_first_session_is_what_the_commands_write() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap();
    let page = root.join("docs/first-session.md");
    // The page names files from the project's folder, and trycmd runs commands in a folder beside the page.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("session");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("session.in")).unwrap();
    symlink(root.join("samples"), folder.join("session.in/samples")).unwrap();
    fs::copy(&page, folder.join("session.md")).unwrap();
    forget_the_tenant();
    let cases = trycmd::TestCases::new();
    cases.default_bin_name("taxonomy").case(folder.join("session.md"));
    cases.run();
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::copy(folder.join("session.md"), &page).unwrap();
    }
}

/// An earlier run on the same stack left versions. Whether there was a tenant is of no interest.
fn forget_the_tenant() {
    let mut purge = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    purge.args(["tenant", "purge", TENANT, "--yes", "--quiet", "0"]);
    purge.output().unwrap();
}
