//! The budget of the proofs: a sample of the cases with every `cargo test`, all of them with `PROVE=all`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of violations after which a part of a proof ends.
const VIOLATIONS: usize = 5;

/// The number of cases, each with a server of its own, that run at a time.
const SERVERS: usize = 8;

/// Returns whether every seed and case runs.
pub fn is_full() -> bool {
    variable("PROVE").as_deref() == Some("all")
}

/// Returns the effect that a mutant must have, from `PROVE_EFFECT`. Checks then compare effects only and leave out the rules on requests,
/// such as that nothing is deleted, so that a mutant is killed by the harm that it does.
pub fn effect() -> Option<String> {
    variable("PROVE_EFFECT")
}

/// Returns the seeds to run: the one in `PROVE_SEED`, the number in `PROVE_SEEDS`, or else `few` or `many` by [`is_full`].
pub fn seeds(few: u64, many: u64) -> Vec<u64> {
    let number =
        |name| variable(name).map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")));
    if let Some(seed) = number("PROVE_SEED") {
        return vec![seed];
    }
    let usual = if is_full() { many } else { few };
    (0..number("PROVE_SEEDS").unwrap_or(usual)).collect()
}

/// The samples in which a mutant must be killed, in multiples of the usual one: by the first violation the run ends.
const SAMPLES: usize = 20;

/// Returns all cases, or without [`is_full`] a sample of `few` that is the same in each run.
pub fn sample<T>(mut cases: Vec<T>, few: usize, seed: u64) -> Vec<T> {
    if !is_full() {
        fastrand::Rng::with_seed(seed).shuffle(&mut cases);
        cases.truncate(if effect().is_some() { few * SAMPLES } else { few });
    }
    cases
}

/// Returns the size of a test: `few`, or `many` by [`is_full`].
pub fn scaled<T>(few: T, many: T) -> T {
    if is_full() { many } else { few }
}

/// Returns an environment variable of the test run.
#[expect(
    clippy::disallowed_methods,
    reason = "the budget of a test is no configuration of a function"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Runs every case, with one thread for each processor and each case in a runtime of its own with paused time, because faults, mutants and
/// random generators belong to a thread. Returns the first few violations.
pub fn run_all<C: Sync>(cases: &[C], run: impl AsyncFn(&C) -> Result<(), String> + Sync) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    run_on(threads, cases, |case| in_paused_time(run(case)))
}

/// Like [`run_all`], over servers in real time: such cases wait nearly always.
pub fn run_all_in_real_time<C: Sync>(
    cases: &[C],
    run: impl AsyncFn(&C) -> Result<(), String> + Sync,
) -> Vec<String> {
    run_on(SERVERS, cases, |case| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(Box::pin(run(case)))
    })
}

/// Runs the cases on a number of threads, each on one of them. Returns the first few violations.
fn run_on<C: Sync>(
    threads: usize,
    cases: &[C],
    run: impl Fn(&C) -> Result<(), String> + Sync,
) -> Vec<String> {
    let (next, violations) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // One violation suffices to kill a mutant.
    let enough = if effect().is_some() { 1 } else { VIOLATIONS };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if violations.lock().unwrap().len() >= enough {
                        break;
                    }
                    if let Err(violation) = run(case) {
                        violations.lock().unwrap().push(violation);
                    }
                }
            });
        }
    });
    violations.into_inner().unwrap()
}

/// Runs a future in a runtime of its own with paused time.
pub fn in_paused_time<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    // On the heap: without optimisation, the state of a whole run exceeds a thread's stack.
    runtime.unwrap().block_on(Box::pin(future))
}
