//! The resident memory of the processes over time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::program::Program;

/// The time between two samples.
const EVERY: Duration = Duration::from_secs(1);

/// Samples of processes.
pub(crate) struct Memory;

impl Memory {
    /// Takes samples until the end. Returns for each process a list of `[second, KiB]`; a process that has ended has no more samples.
    pub(crate) async fn watch(programs: Vec<Arc<Program>>, mut end: watch::Receiver<bool>) -> Value {
        let begin = Instant::now();
        let mut samples = vec![Vec::new(); programs.len()];
        loop {
            let second = begin.elapsed().as_secs();
            for (program, samples) in programs.iter().zip(&mut samples) {
                // A process that has not begun yet has none.
                let resident = program.resident().filter(|resident| *resident > 0);
                samples.extend(resident.map(|resident| json!([second, resident])));
            }
            if timeout(EVERY, end.wait_for(|ended| *ended)).await.is_ok() {
                return json!(samples);
            }
        }
    }
}
