//! `taxonomy expand`: adds the names of terms to metrics, one JSON object a line. docs/decisions/0015-expand.md defines the input and the
//! output.

mod arguments;
mod engine;
pub(crate) mod error;
mod input;
mod lines;
mod metric;
mod output;
mod path;
mod render;
mod summary;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use taxonomy_client::expander::Source;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::is_stdin;
use crate::output::stderr;
use crate::stack::Session;
pub(crate) use arguments::Expand;
use engine::{End, Ended};
use input::Input;
use summary::{Progress, Summary};

/// The size of one read of the input, in bytes.
const READ: usize = 64 << 10;

/// Expands the metrics of a file or of standard input until the input ends or the user presses Ctrl-C.
///
/// A thread may still read standard input when this function returns, so the caller must end the process without waiting for it
/// (`Runtime::shutdown_background`).
///
/// # Errors
/// [`Failure`] of the input, the output or a request, after all earlier lines are written.
pub(crate) async fn run(expand: &Expand) -> Result<Exit, Failure> {
    let session = Session::open(&expand.stack).await?;
    let tenant = session.api_without_cache(&expand.tenant).await?;
    // Checks the service and the tenant before the output is opened, because opening it truncates an existing file.
    tenant.head().await?;
    run_until(expand, &tenant.names(expand.culture.clone()), interrupted()).await
}

async fn run_until<S>(expand: &Expand, source: &S, stop: impl Future<Output = ()>) -> Result<Exit, Failure>
where
    S: Source,
    S::Error: Into<Failure> + Display,
{
    let input: Box<dyn AsyncRead + Unpin> = match is_stdin(&expand.file) {
        true => Box::new(tokio::io::stdin()),
        false => Box::new(open(&expand.file).await?),
    };
    let (output, skipped) = output(expand)?;
    let input = BufReader::with_capacity(READ, input);
    let input = Input::new(input, expand.file.clone(), &expand.field, &expand.into, skipped);
    let progress = Progress::new(expand.out.is_some() || !io::stdout().is_terminal());
    let show = |statistics: &_| progress.show(statistics);
    let ended = engine::expand(source, input, output, &expand.into, stop, show).await;
    progress.end();
    report(&ended, skipped)?;
    exit(expand, ended)
}

async fn open(path: &Path) -> Result<tokio::fs::File, Failure> {
    let file = tokio::fs::File::open(path).await;
    file.map_err(|cause| Failure::Read {
        path: path.to_owned(),
        cause,
    })
}

/// Opens the output. Returns it with the number of complete lines that it already holds.
fn output(expand: &Expand) -> Result<(Box<dyn AsyncWrite + Unpin>, u64), Failure> {
    let Some(path) = &expand.out else {
        return Ok((Box::new(tokio::io::stdout()), 0));
    };
    if is_same_file(&expand.file, path) {
        return Err(Failure::Usage("the output would replace its input".to_owned()));
    }
    let opened = match expand.resume {
        true => output::resume(path),
        false => output::create(path).map(|file| (file, 0)),
    };
    let (file, lines) = opened.map_err(|cause| Failure::WriteTo {
        path: path.clone(),
        cause,
    })?;
    Ok((Box::new(tokio::fs::File::from_std(file)), lines))
}

/// Returns whether the input and the output are the same file, even under different names.
#[cfg(unix)]
fn is_same_file(input: &Path, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let input = if is_stdin(input) {
        Path::new("/dev/stdin")
    } else {
        input
    };
    let place = |path: &Path| {
        let found = std::fs::metadata(path).ok().filter(|found| found.is_file());
        found.map(|found| (found.dev(), found.ino()))
    };
    place(output).is_some_and(|output| place(input) == Some(output))
}

/// Returns whether the input and the output have the same path.
#[cfg(not(unix))]
fn is_same_file(input: &Path, output: &Path) -> bool {
    let (input, output) = (input.canonicalize(), output.canonicalize());
    matches!((input, output), (Ok(input), Ok(output)) if input == output)
}

fn report(ended: &Ended, skipped: u64) -> Result<(), Failure> {
    // A closed pipe is no failure: its reader, such as `head`, needs no more lines.
    if matches!(&ended.end, Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe) {
        return Ok(());
    }
    let summary = Summary {
        statistics: &ended.statistics,
        skipped,
    };
    Ok(writeln!(stderr(), "{summary}")?)
}

fn exit(expand: &Expand, ended: Ended) -> Result<Exit, Failure> {
    let has_unknown = ended.statistics.unknown > 0;
    ended.end.map(|end| match end {
        End::Interrupted => Exit::Interrupted,
        End::Complete if expand.fail_on_unknown && has_unknown => Exit::Refused,
        End::Complete => Exit::Done,
    })
}

/// Completes at Ctrl-C.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler, the signal itself ends the process.
        std::future::pending::<()>().await;
    }
}
