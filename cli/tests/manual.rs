//! Completions and manual pages: one for each command and shell.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn taxonomy(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command.args(arguments).output().unwrap()
}

#[test]
fn every_shell_completes_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = taxonomy(&["completions", shell]);
        assert!(script.status.success(), "{shell}");
        let script = String::from_utf8(script.stdout).unwrap();
        for word in [
            "validate",
            "plan",
            "push",
            "expand",
            "rollback",
            "thaw",
            "--fail-on",
            "--against",
            "--endpoint-url",
        ] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
}

#[test]
fn bash_takes_its_script() {
    let script = taxonomy(&["completions", "bash"]).stdout;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("taxonomy.bash");
    fs::write(&path, script).unwrap();
    let complete = format!(
        "source {}; COMP_WORDS=(taxonomy va); COMP_CWORD=1; _taxonomy taxonomy va taxonomy; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let completed = Command::new("bash").args(["-c", &complete]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&completed.stdout),
        "validate\n",
        "{completed:?}"
    );
}

#[test]
fn every_command_has_a_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man1");
    // Of an earlier run, if there was one.
    let _ = fs::remove_dir_all(&folder);
    assert!(taxonomy(&["man", folder.to_str().unwrap()]).status.success());
    let mut pages: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert_eq!(
        pages,
        [
            "taxonomy-audit.1",
            "taxonomy-children.1",
            "taxonomy-completions.1",
            "taxonomy-cost.1",
            "taxonomy-diff.1",
            "taxonomy-expand.1",
            "taxonomy-explore.1",
            "taxonomy-export.1",
            "taxonomy-extract.1",
            "taxonomy-follow.1",
            "taxonomy-gaps.1",
            "taxonomy-get.1",
            "taxonomy-history.1",
            "taxonomy-import.1",
            "taxonomy-man.1",
            "taxonomy-plan.1",
            "taxonomy-push.1",
            "taxonomy-rebuild.1",
            "taxonomy-redrive.1",
            "taxonomy-repair.1",
            "taxonomy-report.1",
            "taxonomy-rollback.1",
            "taxonomy-show.1",
            "taxonomy-stats.1",
            "taxonomy-suggest.1",
            "taxonomy-tenant-freeze.1",
            "taxonomy-tenant-list.1",
            "taxonomy-tenant-purge.1",
            "taxonomy-tenant-set.1",
            "taxonomy-tenant-show.1",
            "taxonomy-tenant-thaw.1",
            "taxonomy-tenant.1",
            "taxonomy-validate.1",
            "taxonomy-verify.1",
            "taxonomy.1"
        ]
    );
    let page = fs::read_to_string(folder.join("taxonomy-validate.1")).unwrap();
    assert!(page.contains("taxonomy validate acme.json"), "{page}");

    let failed = taxonomy(&["man", folder.join("taxonomy.1").to_str().unwrap()]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("cannot be written to"));
}

/// Who has installed the command has no checkout. The pages have the text of `--help`; examples name files of the reader.
#[test]
fn no_page_names_a_file_of_the_repository() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man1-paths");
    let _ = fs::remove_dir_all(&folder);
    assert!(taxonomy(&["man", folder.to_str().unwrap()]).status.success());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(root).unwrap().map(|entry| entry.unwrap());
    let folders: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| format!("{}/", entry.file_name().to_str().unwrap()))
        .collect();
    assert!(folders.contains(&"docs/".to_owned()), "{folders:?}");
    let mut read = 0;
    for page in fs::read_dir(&folder).unwrap() {
        let page = page.unwrap().path();
        let text = fs::read_to_string(&page).unwrap();
        for word in text.split(|mark: char| mark.is_whitespace() || "`'\"(".contains(mark)) {
            let named = folders.iter().find(|folder| word.starts_with(folder.as_str()));
            assert_eq!(named, None, "{}: {word}", page.display());
            assert!(word != "template.yaml", "{}", page.display());
        }
        read += 1;
    }
    assert!(read > 20, "{read}");
}
