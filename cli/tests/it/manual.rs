//! Completions and manual pages: one for each command and shell.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{assert_ends, folder, listed, names, run, texts};

const HERE: &str = ".";

#[test]
fn every_shell_completes_every_command() {
    let (commands, _) = listed(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(Path::new(HERE), &["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = texts(&output).0;
        let words = commands.iter().map(String::as_str);
        for word in words.chain(["thaw", "fail-on", "against", "endpoint-url"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn bash_takes_its_script() {
    let path = folder("completions").join("taxonomy.bash");
    fs::write(&path, run(Path::new(HERE), &["completions", "bash"]).stdout).unwrap();
    let complete = format!(
        "source {}; COMP_WORDS=(taxonomy va); COMP_CWORD=1; _taxonomy taxonomy va taxonomy; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    let completed = Command::new("bash").args(["-c", &complete]).output().unwrap();
    assert_eq!(texts(&completed).0, "validate\n", "{completed:?}");
}

/// Who has installed the command has no checkout: no page names a file of the repository. Examples name files of the reader.
#[test]
fn every_command_has_a_page() {
    let folder = folder("man1");
    assert!(run(&folder, &["man", "."]).status.success());
    let mut expect = BTreeSet::from(["taxonomy.1".to_owned()]);
    let (commands, _) = listed(&[]);
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        expect.insert(format!("taxonomy-{command}.1"));
        let below = listed(&[command]).0.into_iter();
        expect.extend(below.map(|below| format!("taxonomy-{command}-{below}.1")));
    }
    assert_eq!(BTreeSet::from_iter(names(&folder)), expect);
    let page = fs::read_to_string(folder.join("taxonomy-validate.1")).unwrap();
    assert!(page.contains("taxonomy validate acme.json"), "{page}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = names(&root).into_iter().filter(|name| root.join(name).is_dir());
    let folders: Vec<String> = folders.map(|name| format!("{name}/")).collect();
    assert!(folders.contains(&"docs/".to_owned()), "{folders:?}");
    for page in &expect {
        let text = fs::read_to_string(folder.join(page)).unwrap();
        for word in text.split(|mark: char| mark.is_whitespace() || "`'\"(".contains(mark)) {
            let named = folders.iter().find(|folder| word.starts_with(folder.as_str()));
            assert_eq!(named, None, "{page}: {word}");
            assert!(word != "template.yaml", "{page}");
        }
    }
    assert_ends(&run(&folder, &["man", "taxonomy.1"]), 1, "cannot be written to");
}
