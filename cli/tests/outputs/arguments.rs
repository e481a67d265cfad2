//! Every argument that names a file to write, against the inputs of its command.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{TABLE, TAXONOMY, assert_code, folder, names, run, taxonomy, text, words};

const METRICS: &str = "{\"categories\":[{\"terms\":[{\"id\":2}]}]}\n";

/// An argument that names a file to write: its command, its name, and a command line with it.
struct Writes {
    command: &'static str,
    argument: &'static str,
    input: &'static str,
    line: fn(input: &str, output: &str) -> Vec<String>,
}

const WRITES: [Writes; 6] = [
    Writes {
        command: "import",
        argument: "--out",
        input: TABLE,
        line: |input, output| words(&["import", "csv", &format!("en-GB={input}"), "--out", output]),
    },
    Writes {
        command: "import",
        argument: "--ids",
        input: TABLE,
        line: |input, output| words(&["import", "csv", input, "--out", "new.json", "--ids", output]),
    },
    Writes {
        command: "import",
        argument: "--report",
        input: TABLE,
        line: |input, output| words(&["import", "csv", input, "--out", "new.json", "--report", output]),
    },
    Writes {
        command: "export",
        argument: "--out",
        input: TAXONOMY,
        line: |input, output| words(&["export", "csv", input, "--out", output]),
    },
    Writes {
        command: "plan",
        argument: "--out",
        input: TAXONOMY,
        line: |input, output| words(&["plan", input, "--tenant", "acme", "--out", output]),
    },
    Writes {
        command: "expand",
        argument: "--out",
        input: METRICS,
        line: |input, output| words(&["expand", input, "--tenant", "acme", "--out", output]),
    },
];

/// The arguments with a path that is read, or that is a folder of its own files; those of every command that reads a stack without one.
const READS: [&str; 15] = [
    "import FILE",
    "import --replaced",
    "export FILE",
    "plan FILE",
    "plan --against",
    "expand FILE",
    "extract FILE",
    "validate FILE",
    "push FILE",
    "push --plan",
    "explore FILE",
    "diff FILE",
    "man FOLDER",
    "--outputs",
    "--config",
];

/// The subcommands that `--help` of a command lists, and the arguments with a path.
fn listed(command: &[&str]) -> (Vec<String>, Vec<String>) {
    let output = run(Path::new("."), &[command, &["--help"]].concat());
    let help = String::from_utf8(output.stdout).unwrap();
    let (mut commands, mut arguments, mut section) = (Vec::new(), Vec::new(), "");
    for line in help.lines() {
        let Some(first) = line.split_whitespace().next() else {
            continue;
        };
        if !line.starts_with(' ') {
            section = line;
        } else if section == "Commands:" {
            let is_command = !line.starts_with("   ") && first != "help";
            commands.extend(is_command.then(|| first.to_owned()));
        } else if ["Arguments:", "Options:", "Stack:"].contains(&section)
            && first.starts_with(['-', '<', '['])
        {
            let is_path = |kind: &&str| ["FILE", "PLAN", "FOLDER"].contains(kind);
            // Of `FILE|FOLDER` the first one.
            let value = line.split(['<', '>', '[', ']', '|']).find(is_path);
            let flag = line.split_whitespace().find(|word| word.starts_with("--"));
            arguments.extend(value.map(|value| flag.unwrap_or(value).to_owned()));
        }
    }
    (commands, arguments)
}

/// A new argument with a path either writes, and is then in the table above, or reads.
#[test]
fn every_argument_with_a_path_is_known_to_read_or_to_write() {
    let mut found = BTreeSet::new();
    let (commands, _) = listed(&[]);
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let (below, arguments) = listed(&[command]);
        let below = below.iter().flat_map(|below| listed(&[command, below]).1);
        for argument in arguments.into_iter().chain(below) {
            let is_shared = READS.contains(&argument.as_str());
            found.insert(if is_shared {
                argument
            } else {
                format!("{command} {argument}")
            });
        }
    }
    let writes = WRITES.iter();
    let writes = writes.map(|writes| format!("{} {}", writes.command, writes.argument));
    let reads = READS.iter().map(|read| (*read).to_owned());
    assert_eq!(found, writes.chain(reads).collect());
}

/// A folder with an input, and all ways to it.
fn ways(writes: &Writes) -> (PathBuf, Vec<String>) {
    let name = format!("{}{}", writes.command, writes.argument);
    let folder = folder(&name);
    let input = folder.join("input");
    fs::write(&input, writes.input).unwrap();
    fs::set_permissions(&input, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("input", folder.join("link")).unwrap();
    symlink(folder.join("link"), folder.join("far")).unwrap();
    fs::hard_link(&input, folder.join("hard")).unwrap();
    let (round, absolute) = (format!("../{name}/input"), input.to_str().unwrap());
    let ways = ["input", "./input", &round, "link", "far", "hard", absolute].map(str::to_owned);
    (folder, ways.to_vec())
}

#[test]
fn no_argument_writes_over_an_input_whatever_the_way_to_it() {
    for writes in &WRITES {
        let (folder, ways) = ways(writes);
        let (input, before) = (folder.join("input"), names(&folder));
        let found = fs::metadata(&input).unwrap();
        let (number, mode) = (found.ino(), found.mode());
        let check = |line: Vec<String>, stdin: Stdio, stdout: Stdio| {
            let mut command = taxonomy(&folder, &line);
            command.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
            let output = command.output().unwrap();
            assert_eq!(fs::read_to_string(&input).unwrap(), writes.input, "{line:?}");
            let found = fs::metadata(&input).unwrap();
            assert_eq!((found.ino(), found.mode()), (number, mode), "{line:?}");
            let link = fs::symlink_metadata(folder.join("link")).unwrap();
            assert!(link.is_symlink(), "{line:?}");
            assert_eq!(names(&folder), before, "{line:?}");
            assert_code(&output, 2);
            let says = text(&output);
            assert!(says.contains("would replace its input"), "{line:?}: {says}");
        };
        for output in &ways {
            for input in &ways {
                check((writes.line)(input, output), Stdio::null(), Stdio::piped());
            }
            let stdin = File::open(&input).unwrap();
            check((writes.line)("-", output), stdin.into(), Stdio::piped());
        }
        // Standard output that is appended to the input.
        if writes.argument != "--ids" {
            let stdout = File::options().append(true).open(&input).unwrap();
            check((writes.line)("input", "-"), Stdio::null(), stdout.into());
        }
    }
}

#[test]
fn files_that_describe_the_stack_are_inputs_too() {
    let folder = folder("stack");
    fs::write(folder.join("input"), TAXONOMY).unwrap();
    fs::write(folder.join("stack.json"), "{}").unwrap();
    for line in [
        &["plan", "input", "--tenant", "acme"][..],
        &["export", "csv", "1", "--tenant", "acme"],
        &["expand", "input", "--tenant", "acme"],
    ] {
        let places = ["--outputs", "stack.json", "--out", "./stack.json"];
        assert_code(&run(&folder, &[line, &places].concat()), 2);
        assert_eq!(fs::read_to_string(folder.join("stack.json")).unwrap(), "{}");
    }
}

#[test]
fn an_import_writes_each_file_to_another_place() {
    let folder = folder("several");
    fs::write(folder.join("table.csv"), TABLE).unwrap();
    symlink("new.json", folder.join("link")).unwrap();
    let import = |arguments: &[&str]| {
        assert_code(
            &run(&folder, &[&["import", "csv", "table.csv"], arguments].concat()),
            2,
        );
    };
    for other in ["new.json", "./new.json", "link"] {
        import(&["--out", "new.json", "--ids", other]);
        import(&["--out", "new.json", "--report", other]);
        import(&[
            "--out",
            "new.json",
            "--replaced",
            "table.csv",
            "--report",
            "table.csv",
        ]);
    }
    import(&["--out", "-", "--report", "-"]);
    import(&["--out", "new.json", "--ids", "-"]);
    assert_eq!(names(&folder), ["link", "table.csv"]);
}
