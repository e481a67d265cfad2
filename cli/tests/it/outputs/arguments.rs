//! Every argument that names a file to write, against the inputs of its command.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Stdio;

use super::{TABLE, TAXONOMY};
use crate::{assert_ends, folder, listed, names, run, taxonomy};

const METRICS: &str = "{\"categories\":[{\"terms\":[{\"id\":2}]}]}\n";

/// An argument that names a file to write: its command, its name, the content of the input, and a command line with IN and OUT.
type Writes = (&'static str, &'static str, &'static str, &'static str);

const REPORT: &str = "import csv IN --out new.json --report OUT";

const WRITES: [Writes; 6] = [
    ("import", "--out", TABLE, "import csv en-GB=IN --out OUT"),
    ("import", "--ids", TABLE, "import csv IN --out new.json --ids OUT"),
    ("import", "--report", TABLE, REPORT),
    ("export", "--out", TAXONOMY, "export csv IN --out OUT"),
    ("plan", "--out", TAXONOMY, "plan IN --tenant acme --out OUT"),
    ("expand", "--out", METRICS, "expand IN --tenant acme --out OUT"),
];

/// The arguments with a path that is read, or that is a folder of its own files; those of every command that reads a stack without one.
const READS: &str = "import FILE, import --replaced, export FILE, plan FILE, plan --against, expand FILE, \
    extract FILE, validate FILE, push FILE, push --plan, explore FILE, diff FILE, man FOLDER, --outputs, --config";

/// A new argument with a path either writes, and is then in the table above, or reads.
#[test]
fn every_argument_with_a_path_is_known_to_read_or_to_write() {
    let mut found = BTreeSet::new();
    let reads: Vec<&str> = READS.split(", ").collect();
    let (commands, _) = listed(&[]);
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let (below, arguments) = listed(&[command]);
        let below = below.iter().flat_map(|below| listed(&[command, below]).1);
        for argument in arguments.into_iter().chain(below) {
            found.insert(match reads.contains(&argument.as_str()) {
                true => argument,
                false => format!("{command} {argument}"),
            });
        }
    }
    let writes = WRITES.map(|(command, argument, ..)| format!("{command} {argument}"));
    let reads = reads.into_iter().map(str::to_owned);
    assert_eq!(found, writes.into_iter().chain(reads).collect());
}

/// A folder with an input, and all ways to it.
fn ways((command, argument, content, _): Writes) -> (PathBuf, Vec<String>) {
    let name = format!("{command}{argument}");
    let folder = folder(&name);
    let input = folder.join("input");
    fs::write(&input, content).unwrap();
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
    for writes in WRITES {
        let (folder, ways) = ways(writes);
        let (input, before) = (folder.join("input"), names(&folder));
        let found = fs::metadata(&input).unwrap();
        let (number, mode) = (found.ino(), found.mode());
        let (_, argument, content, line) = writes;
        let check = |from: &str, out: &str, stdin: Stdio, stdout: Stdio| {
            let line = line.replace("OUT", out).replace("IN", from);
            let mut command = taxonomy(&folder, &line.split(' ').collect::<Vec<_>>());
            command.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
            let output = command.output().unwrap();
            assert_eq!(fs::read_to_string(&input).unwrap(), content, "{line}");
            let found = fs::metadata(&input).unwrap();
            assert_eq!((found.ino(), found.mode()), (number, mode), "{line}");
            let link = fs::symlink_metadata(folder.join("link")).unwrap();
            assert!(link.is_symlink(), "{line}");
            assert_eq!(names(&folder), before, "{line}");
            assert_ends(&output, 2, "would replace its input");
        };
        for output in &ways {
            for input in &ways {
                check(input, output, Stdio::null(), Stdio::piped());
            }
            let stdin = File::open(&input).unwrap();
            check("-", output, stdin.into(), Stdio::piped());
        }
        // Standard output that is appended to the input.
        if argument != "--ids" {
            let stdout = File::options().append(true).open(&input).unwrap();
            check("input", "-", Stdio::null(), stdout.into());
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
        assert_ends(&run(&folder, &[line, &places].concat()), 2, "");
        assert_eq!(fs::read_to_string(folder.join("stack.json")).unwrap(), "{}");
    }
}

#[test]
fn an_import_writes_each_file_to_another_place() {
    let folder = folder("several");
    fs::write(folder.join("table.csv"), TABLE).unwrap();
    symlink("new.json", folder.join("link")).unwrap();
    let import = |places: &str| {
        let line = format!("import csv table.csv {places}");
        let output = run(&folder, &line.split(' ').collect::<Vec<_>>());
        assert_ends(&output, 2, "");
    };
    for other in ["new.json", "./new.json", "link"] {
        import(&format!("--out new.json --ids {other}"));
        import(&format!("--out new.json --report {other}"));
    }
    import("--out new.json --replaced table.csv --report table.csv");
    import("--out - --report -");
    import("--out new.json --ids -");
    assert_eq!(names(&folder), ["link", "table.csv"]);
}
