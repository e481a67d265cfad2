//! Tests of processes that are killed or interrupted. Each test starts its own test program as a child process that runs this test alone.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::super::{Expand, interrupted, run_until, target};
use super::{Book, arguments, expanded, runtime};
use crate::exit::Exit;
use crate::failure::Failure;

/// The environment variable that holds the name of the test in a child process.
const CHILD: &str = "TAXONOMY_EXPAND_TEST";

/// Whether this is the child process of a test.
#[expect(
    clippy::disallowed_methods,
    reason = "a test that starts itself says so by a variable"
)]
pub(super) fn is_child(test: &str) -> bool {
    env::var_os(CHILD).is_some_and(|name| name == test)
}

/// Returns the command of the child process for `test`, the module path of the test. The test runner omits the name of the crate.
pub(super) fn child(test: &str) -> Command {
    let (_, name) = test.split_once("::").unwrap();
    let program = env::current_exe().unwrap();
    let listed = Command::new(&program).args([name, "--exact", "--list"]).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    assert_eq!(listed.lines().next(), Some(&*format!("{name}: test")));
    let mut command = Command::new(program);
    command.args([name, "--exact", "--nocapture", "--include-ignored"]);
    command.env(CHILD, test);
    command
}

fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("taxonomy-expand-{name}-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn book() -> Book {
    Book::of(1 << 20).after(15)
}

/// Runs the command as the only task of this process, then exits.
fn run_as_child(line: &[&str]) -> ! {
    let expand = arguments(line);
    // Not dropped: the drop would wait for the thread that reads standard input.
    let runtime = runtime();
    let done =
        runtime.block_on(async { run_until(&expand, &target(&expand)?, &book(), interrupted()).await });
    process::exit(done.map_or_else(|failure| failure.exit() as i32, |exit| exit as i32))
}

fn run_here(expand: &Expand) -> Result<Exit, Failure> {
    runtime().block_on(async { run_until(expand, &target(expand)?, &book(), std::future::pending()).await })
}

fn lines(path: &Path) -> usize {
    super::lines(&fs::read(path).unwrap_or_default())
}

#[test]
fn expand_resumes_behind_the_last_complete_line_after_each_kill() {
    let name = "::expand_resumes_behind_the_last_complete_line_after_each_kill";
    let test = &format!("{}{name}", module_path!());
    if is_child(test) {
        run_as_child(&["--field", "t", "in.ndjson", "--out", "out.ndjson", "--resume"]);
    }
    let folder = folder("killed");
    let metric = |id| format!("{{\"t\":[{},{}]}}\n", 2 * id, 2 * id + 1);
    let metrics: String = (0..20_000).map(metric).collect();
    let (input, output) = (folder.join("in.ndjson"), folder.join("out.ndjson"));
    fs::write(&input, &metrics).unwrap();
    let (expected, _) = expanded(&["--field", "t"], &Book::of(1 << 20), metrics.as_bytes());
    let mut counts = vec![0];
    for kill in 0..8 {
        let mut command = child(test);
        command.current_dir(&folder).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(40 + 53 * kill));
        child.kill().unwrap();
        child.wait().unwrap();
        let written = fs::read(&output).unwrap_or_default();
        assert!(expected.as_bytes().starts_with(&written), "after kill {kill}");
        counts.push(lines(&output));
    }
    assert!(counts.is_sorted(), "{counts:?}");
    let pairs = counts.windows(2);
    let interrupted = pairs.filter(|pair| pair[0] < pair[1] && pair[1] < 20_000);
    assert!(interrupted.count() >= 2, "{counts:?}");
    // Cut the last line in its middle.
    let mut written = fs::read(&output).unwrap();
    written.truncate(written.len() - 7);
    fs::write(&output, written).unwrap();
    let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
    let expand = arguments(&["--field", "t", input, "--out", output, "--resume"]);
    assert_eq!(run_here(&expand).unwrap(), Exit::Done);
    let written = fs::read_to_string(output).unwrap();
    assert!(written == expected, "the output differs");
    fs::remove_dir_all(folder).unwrap();
}

fn wait_for(child: &mut Child, what: &str, mut is_done: impl FnMut(&mut Child) -> bool) {
    let started = Instant::now();
    while !is_done(child) {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        sleep(Duration::from_millis(10));
    }
}

#[test]
#[cfg(unix)]
fn expand_ends_with_130_at_an_interrupt() {
    let test = concat!(module_path!(), "::expand_ends_with_130_at_an_interrupt");
    if is_child(test) {
        run_as_child(&["--field", "t", "--out", "out.ndjson"]);
    }
    let folder = folder("interrupted");
    let output = folder.join("out.ndjson");
    let mut command = child(test);
    command.current_dir(&folder).stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"t\":1}\n{\"t\":2}\n{\"t\":").unwrap();
    let idle = "no lines while the input is idle";
    wait_for(&mut child, idle, |_| lines(&output) == 2);
    let interrupt = ["-INT", &child.id().to_string()];
    let interrupt = Command::new("kill").args(interrupt).status();
    assert!(interrupt.unwrap().success());
    wait_for(&mut child, "no end", |child| child.try_wait().unwrap().is_some());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    let summary = String::from_utf8_lossy(&done.stderr).into_owned();
    let counts = "2 metrics, 2 ids, 0 unknown ids, 1 request (500 per thousand metrics)";
    assert!(summary.contains(counts), "{summary}");
    assert!(fs::read(&output).unwrap().ends_with(b"\"taxonomyVersion\":7}\n"));
    drop(stdin);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_are_replaced_resumed_or_refused() {
    let folder = folder("files");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (input, output) = (path("in"), path("out"));
    let here = |more: &[&str]| run_here(&arguments(&[&["--field", "t", &input], more].concat()));
    let written = || fs::read_to_string(&output).unwrap();
    let (resume, out) = (["--out", &output, "--resume"], ["--out", &output]);
    fs::write(&input, "{\"t\":1}\n\n{\"t\":2000000}").unwrap();
    assert_eq!(here(&resume).unwrap(), Exit::Done, "a file that is not there yet");
    let whole = written();
    assert_eq!(whole.lines().count(), 3);
    assert_eq!(here(&resume).unwrap(), Exit::Done, "a file that is complete");
    assert_eq!(written(), whole);
    let refused = here(&[&out[..], &["--fail-on-unknown"]].concat());
    assert_eq!(refused.unwrap(), Exit::Refused);
    assert_eq!(written(), whole, "replaced");
    let cut = format!("{whole}{{\"t\":1,\"names\":[");
    fs::write(&output, &cut).unwrap();
    // A second run beside one that was stopped would write into the middle of its lines.
    let held = fs::File::options().write(true).open(&output).unwrap();
    held.lock().unwrap();
    for more in [&resume[..], &out] {
        let failure = here(more).unwrap_err();
        assert!(matches!(failure, Failure::Unable { .. }), "{failure:?}");
        assert_eq!(written(), cut);
    }
    drop(held);
    assert_eq!(here(&resume).unwrap(), Exit::Done, "a line that is cut off");
    assert_eq!(written(), whole);
    let longer = "x\n".repeat(4);
    fs::write(&output, &longer).unwrap();
    let other = here(&resume).unwrap_err();
    assert_eq!(other.exit(), Exit::Refused);
    let says = "the output has 4 lines, but the input only 3";
    assert!(other.to_string().contains(says), "{other}");
    assert_eq!(here(&["--out", &input]).unwrap_err().exit(), Exit::Usage);
    let missing = path("missing");
    let missing = run_here(&arguments(&[&[&*missing], &out[..]].concat())).unwrap_err();
    assert!(matches!(missing, Failure::Read { .. }), "{missing}");
    assert_eq!(written(), longer, "not replaced before the input is open");
    fs::remove_dir_all(folder).unwrap();
}
