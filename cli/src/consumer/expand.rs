//! `taxonomy expand`: adds the names of terms to metrics, one JSON object a line. docs/decisions/0015-expand.md defines the input and the
//! output.

mod arguments;
mod engine;
mod input;
mod metric;
mod output;
mod path;
mod render;
mod summary;

use std::fmt::Display;
use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use taxonomy_client::expander::Source;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{Target, is_stdin};
use crate::output::{WARNING, printable, stderr};
use crate::stack::Session;
pub(crate) use arguments::Expand;
use engine::{End, Ended};
use input::MetricInput;
use summary::{ExpandProgress, Summary};

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
    let target = target(expand)?;
    let session = Session::open(&expand.stack).await?;
    let tenant = session.api_without_cache().await?.tenant(expand.tenant.clone());
    // Checks the service and the tenant before the output is opened, because opening it truncates an existing file.
    tenant.head().await?;
    let source = tenant.names(expand.culture.clone());
    run_until(expand, &target, &source, interrupted()).await
}

/// The place to write to, checked before anything is requested.
fn target(expand: &Expand) -> Result<Target, Failure> {
    let inputs = [expand.file.as_path()].into_iter().chain(expand.stack.files());
    let target = Target::or_stdout(expand.out.as_deref(), inputs)?;
    match expand.resume && !target.is_file() {
        true => Err(Failure::usage("`--resume` continues a regular file")),
        false => Ok(target),
    }
}

async fn run_until<S>(
    expand: &Expand,
    target: &Target,
    source: &S,
    stop: impl Future<Output = ()>,
) -> Result<Exit, Failure>
where
    S: Source,
    S::Error: Into<Failure> + Display,
{
    let input: Box<dyn AsyncRead + Unpin> = match is_stdin(&expand.file) {
        true => Box::new(tokio::io::stdin()),
        false => Box::new(open(&expand.file).await?),
    };
    let (output, skipped) = output(expand, target)?;
    let input = BufReader::with_capacity(READ, input);
    let input = MetricInput::new(input, expand.file.clone(), &expand.field, &expand.into, skipped);
    let progress = ExpandProgress::new(!target.is_stdout() || !io::stdout().is_terminal());
    let show = |statistics: &_| progress.show(statistics);
    let ended = engine::expand(source, input, output, &expand.into, stop, show).await;
    progress.end();
    report(expand, &ended, skipped)?;
    exit(expand, ended)
}

async fn open(path: &Path) -> Result<tokio::fs::File, Failure> {
    tokio::fs::File::open(path).await.map_err(Failure::read(path))
}

/// Opens the output. Returns it with the number of complete lines that it already holds.
fn output(expand: &Expand, target: &Target) -> Result<(Box<dyn AsyncWrite + Unpin>, u64), Failure> {
    let Some(mut file) = target.open()? else {
        return Ok((Box::new(tokio::io::stdout()), 0));
    };
    let lines = match (target.is_file(), expand.resume) {
        (true, true) => output::resume(&mut file),
        (true, false) => file.set_len(0).map(|()| 0),
        (false, _) => Ok(0),
    };
    let lines = lines.map_err(|cause| target.failed(cause))?;
    Ok((Box::new(tokio::fs::File::from_std(file)), lines))
}

fn report(expand: &Expand, ended: &Ended, skipped: u64) -> Result<(), Failure> {
    if ended.end.as_ref().is_err_and(Failure::is_closed_pipe) {
        return Ok(());
    }
    let (statistics, written) = (&ended.statistics, ended.written);
    let summary = Summary {
        statistics,
        written,
        skipped,
    };
    writeln!(stderr(), "{summary}")?;
    if written.without_ids > 0 && statistics.ids + written.no_ids == 0 {
        let path = printable(expand.field.as_str());
        writeln!(
            stderr(),
            "{WARNING}warning{WARNING:#}: no metric has a term id at `{path}`; `--field` names the place"
        )?;
    }
    Ok(())
}

fn exit(expand: &Expand, ended: Ended) -> Result<Exit, Failure> {
    let has_unknown = ended.statistics.unknown + ended.written.no_ids > 0;
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

#[cfg(test)]
mod tests;
