//! Milliseconds of a cold start: colour beside the instructions, which are what is compared.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::callgrind::Program;
use super::certificates::Certificates;
use super::quota::Quota;
use super::runtime_api::RuntimeApi;
use super::table::Table;
use crate::failure::Failure;

/// An odd number, so that one start is the median.
const STARTS: usize = 11;
const LONGEST: Duration = Duration::from_secs(30);

/// Medians of several starts.
#[derive(Debug, Clone, Copy)]
pub struct ColdStart {
    /// From the start of the process to its first request for an event, at full speed, as Lambda gives it.
    pub init_ms: f64,
    /// The first answer with the share of a processor that 128 MB have.
    pub first_ms: f64,
}

/// Measures cold starts over TLS; `None` where this process may not restrict another one.
///
/// # Errors
/// If the program fails.
pub async fn cold_start(binary: &Path, event: &[u8], folder: &Path) -> Result<Option<ColdStart>, Failure> {
    let certificates = Certificates::make(folder)?;
    let table = Table::serve_tls(&certificates).await?;
    let program = Program::new(binary).with_table(&table.url(), &certificates.authority());
    let (mut inits, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let Some(quota) = Quota::make() else {
            return Ok(None);
        };
        let (init, first) = timeout(LONGEST, start(&program, event, &quota)).await??;
        inits.push(init);
        firsts.push(first);
    }
    Ok(Some(ColdStart {
        init_ms: median(inits),
        first_ms: median(firsts),
    }))
}

async fn start(program: &Program, event: &[u8], quota: &Quota) -> Result<(f64, f64), Failure> {
    let api = RuntimeApi::serve_gated(vec![event.to_owned()]).await?;
    let started = Instant::now();
    let mut child = program.run(&api.address().to_string())?;
    api.requested().await;
    let init = started.elapsed();
    quota.restrict(child.id().ok_or("the program has ended")?)?;
    let opened = Instant::now();
    api.open();
    api.ended().await?;
    let first = opened.elapsed();
    child.kill().await?;
    Ok((milliseconds(init), milliseconds(first)))
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}
