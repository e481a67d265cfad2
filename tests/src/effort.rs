//! How much is tried: a little with every `cargo test`, everything with `PROVE=all`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many violations are told before a part of the proof gives up.
const TOLD: usize = 5;

/// Whether nothing is left out.
pub fn everything() -> bool {
    variable("PROVE").as_deref() == Some("all")
}

/// The seeds to run: one from `PROVE_SEED`, as many as `PROVE_SEEDS` says, or else as many as the effort allows.
pub fn seeds(few: u64, many: u64) -> Vec<u64> {
    let number =
        |name| variable(name).map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")));
    if let Some(seed) = number("PROVE_SEED") {
        return vec![seed];
    }
    let usual = if everything() { many } else { few };
    (0..number("PROVE_SEEDS").unwrap_or(usual)).collect()
}

/// All of them, or a sample of so many that is the same each time.
pub fn sample<T>(mut all: Vec<T>, few: usize, seed: u64) -> Vec<T> {
    if !everything() {
        fastrand::Rng::with_seed(seed).shuffle(&mut all);
        all.truncate(few);
    }
    all
}

/// What the environment says, for the effort of a test.
#[expect(
    clippy::disallowed_methods,
    reason = "the effort of a test is no configuration of a function"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Runs every job, one thread for each processor, each job in a runtime of its own whose time is paused: faults, mistakes and
/// generators of random numbers belong to a thread. Returns what went wrong, the first few of it.
pub fn spread<J: Sync>(jobs: &[J], run: impl AsyncFn(&J) -> Result<(), String> + Sync) -> Vec<String> {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if wrong.lock().unwrap().len() >= TOLD {
                        break;
                    }
                    if let Err(violation) = alone(run(job)) {
                        wrong.lock().unwrap().push(violation);
                    }
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}

/// Runs something in a runtime of its own.
pub fn alone<T>(job: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    // On the heap: unoptimised, the state of a whole run is more than a thread's stack has room for.
    runtime.unwrap().block_on(Box::pin(job))
}
