//! A process of a function, its memory, and its time of a processor.

use std::fs;
use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::functions::Description;
use crate::runtime_api::RuntimeApi;

/// The longest start of a process.
const LONGEST_START: Duration = Duration::from_secs(60);

/// A running process. It ends with this value.
pub(crate) struct Process {
    pub(crate) api: RuntimeApi,
    child: Child,
}

impl Process {
    /// Starts a process, and waits until it requests an event. Returns it with the time that this took.
    pub(crate) async fn start(of: &Description) -> io::Result<(Self, Duration)> {
        let api = RuntimeApi::serve(Duration::from_secs(of.seconds)).await?;
        let began = Instant::now();
        let child = Command::new(&of.command[0])
            .args(&of.command[1..])
            .env_clear()
            .envs(&of.environment)
            .env("AWS_LAMBDA_RUNTIME_API", api.address.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interruption by the keyboard is for whoever started this program.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        timeout(LONGEST_START, api.began()).await?;
        let began = began.elapsed();
        if let (Some(group), Some(pid)) = (&of.group, child.id()) {
            fs::write(group.join("cgroup.procs"), pid.to_string())?;
        }
        Ok((Self { api, child }, began))
    }

    /// Returns its memory now and at most, and its time of a processor; none once it has ended.
    pub(crate) fn usage(&self, function: &str) -> Option<Value> {
        let pid = self.child.id()?;
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let kib = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some(json!({
            "function": function,
            "pid": pid,
            "kib": kib("VmRSS:")?,
            "peakKib": kib("VmHWM:")?,
            "processorMicros": processor_nanos(pid)? / 1_000,
        }))
    }
}

/// The time that the threads of a process were on a processor: `schedstat` of proc(5).
fn processor_nanos(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let nanos = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Some(nanos.sum())
}
