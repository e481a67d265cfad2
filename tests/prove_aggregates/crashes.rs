//! Every request of every scenario with every fault, and whatever follows, in batches of one and in one batch; then pairs of faults.

use std::sync::OnceLock;
use std::time::Duration;

use taxonomy_testkit::{Fault, When};
use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{alone, sample, spread};

use crate::files::Draft;
use crate::history::{History, Step};
use crate::judge::{Told, Watch, told, wrong};
use crate::proof::Part;
use crate::stream::deliver;

/// Nothing takes as many processes.
const PROCESSES: usize = 60;

/// Those that break a request, and requests that come later than their sender waits or lives.
const FAULTS: [Fault; 10] = [
    Fault::DropBeforeSend,
    Fault::AnswerLost,
    Fault::ServerErrorAfterApply,
    Fault::Throttle,
    Fault::TransactionConflict,
    Fault::Crash,
    Fault::CrashAfterApply,
    Fault::SlowBeforeApply(Duration::from_secs(2)),
    Fault::SlowBeforeApply(Duration::from_secs(5)),
    Fault::SlowBeforeApply(Duration::from_secs(60)),
];

/// What is counted before, and what is counted while requests go wrong.
struct Scenario {
    name: &'static str,
    before: Vec<Step>,
    then: Vec<Step>,
}

fn scenarios() -> Vec<Scenario> {
    let upload =
        |tenant, categories: &[(u64, &[(u64, u64)])]| Step::Upload(tenant, Draft::of(categories).file());
    let overtaken = |categories: &[(u64, &[(u64, u64)])]| Step::Overtaken(0, Draft::of(categories).file());
    let first: &[(u64, &[(u64, u64)])] = &[(1, &[(1, 0), (2, 1), (3, 0)]), (2, &[(4, 0)]), (3, &[])];
    let second: &[(u64, &[(u64, u64)])] = &[(1, &[(1, 0), (3, 1)]), (2, &[(4, 0), (2, 4)]), (3, &[])];
    let third: &[(u64, &[(u64, u64)])] = &[(1, &[(1, 0), (2, 1), (3, 0)]), (2, &[(4, 0)]), (3, &[(5, 0)])];
    let fourth: &[(u64, &[(u64, u64)])] = &[(1, &[(1, 0), (2, 1), (3, 0)]), (3, &[])];
    let scenario = |name, before: &[Step], then: &[Step]| Scenario {
        name,
        before: before.to_vec(),
        then: then.to_vec(),
    };
    let past = [upload(0, first)];
    vec![
        scenario("the first import", &[], &past),
        scenario("an edit", &past, &[upload(0, second)]),
        scenario(
            "versions that were overtaken, up and down again",
            &past,
            &[
                overtaken(second),
                overtaken(third),
                Step::Days(40),
                upload(0, first),
            ],
        ),
        scenario(
            "a category goes and comes back",
            &past,
            &[upload(0, fourth), upload(0, first)],
        ),
        scenario(
            "a rebuild after a category has gone",
            &past,
            &[upload(0, fourth), Step::Rebuild(0)],
        ),
        scenario(
            "two tenants in a batch",
            &past,
            &[
                upload(1, second),
                upload(0, second),
                Step::Days(31),
                upload(1, first),
            ],
        ),
    ]
}

/// A scenario's history, and how many requests it takes when nothing goes wrong.
struct Stage {
    name: &'static str,
    history: History,
    requests: usize,
}

/// What goes wrong in one process: the request, counted from its beginning, and how.
type Mishaps = Vec<(usize, Fault)>;

/// Scenario by number, what goes wrong in the first process and in those after it, and in what batches it comes again.
type Job = (usize, Vec<Mishaps>, usize);

impl Stage {
    fn of(scenario: &Scenario) -> Self {
        let steps: Vec<Step> = scenario.before.iter().chain(&scenario.then).cloned().collect();
        let history = alone(History::of(&steps, scenario.before.len()));
        let mut stage = Self {
            name: scenario.name,
            history,
            requests: 0,
        };
        stage.requests = alone(stage.told(&[], usize::MAX)).unwrap();
        stage
    }

    async fn run(&self, mishaps: &[Mishaps], size: usize) -> Result<(), String> {
        let told = Box::pin(self.told(mishaps, size)).await;
        told.map(drop)
            .map_err(|wrong| format!("{} with {mishaps:?}, then by {size}: {wrong}", self.name))
    }

    /// The whole in one batch; whatever of it is not done comes again in batches of a size, each in a new process that may meet the
    /// next fault. How many requests it took.
    async fn told(&self, mishaps: &[Mishaps], size: usize) -> Result<usize, String> {
        let (world, history) = (self.history.world().await, &self.history);
        let mut watch = Watch::new(history);
        let (records, before) = (&history.records, history.before);
        if deliver(&world, &records[..before]).await < before {
            return Err("a clean delivery failed".to_owned());
        }
        watch.step(&world)?;
        let begin = world.exchanges().len();
        let (mut at, mut mishaps) = (before, mishaps.iter());
        let mut batch = records.len();
        for _ in 0..PROCESSES {
            if at == records.len() {
                break;
            }
            world.wire.reset_faults();
            for (nth, fault) in mishaps.next().into_iter().flatten() {
                world.wire.inject(When::nth(*nth), *fault);
            }
            let to = records.len().min(at.saturating_add(batch));
            let process = deliver(&world, &records[at..to]);
            at += world.wire.until_crash(process).await.unwrap_or(0);
            batch = size;
            watch.step(&world)?;
        }
        let requests = world.exchanges().len() - begin;
        world.wire.settle().await;
        world.wire.reset_faults();
        world.drain_deferred(100).await;
        watch.step(&world)?;
        if !world.parked().is_empty() {
            return Err(format!(
                "parked although nothing is damaged: {:?}",
                world.parked()
            ));
        }
        if let Some(wrong) = wrong(&world, history).first() {
            return Err(format!("in the end: {wrong:?}"));
        }
        let all = Told {
            // A deferred record may be published after the tenant's later ones.
            is_ordered: world.exchanges().count("SendMessage") == 0,
            ..Told::default()
        };
        told(&world, history, &all)?;
        Ok(requests)
    }
}

fn singles(stages: &[Stage]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        for nth in 1..=stage.requests {
            for fault in FAULTS {
                jobs.extend([1, usize::MAX].map(|size| (number, vec![vec![(nth, fault)]], size)));
            }
        }
    }
    jobs
}

/// A process that dies after one request, and something that happens to any request of the one after it; and two things that happen to one
/// process. The faults and the size of what comes again go round.
fn pairs(stages: &[Stage]) -> Vec<Job> {
    let fault = |number: usize| FAULTS[number % FAULTS.len()];
    let mut jobs = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        for i in 1..=stage.requests {
            for j in 1..=stage.requests + 3 {
                let size = [1, usize::MAX, 2][(i + 2 * j) % 3];
                let then = vec![vec![(i, Fault::CrashAfterApply)], vec![(j, fault(i + j))]];
                jobs.push((number, then, size));
                if i < j {
                    let both = vec![vec![(i, fault(i + 3 * j)), (j, fault(i + j))]];
                    jobs.push((number, both, size));
                }
            }
        }
    }
    jobs
}

fn run(part: Part, jobs: &[Job], stages: &[Stage]) {
    let wrong = spread(jobs, async |(number, mishaps, size)| {
        stages[*number].run(mishaps, *size).await
    });
    let what = format!("{part:?}").to_lowercase();
    part.say(format!("{} {what}", thousands(jobs.len())), &wrong);
}

fn stages() -> &'static [Stage] {
    static STAGES: OnceLock<Vec<Stage>> = OnceLock::new();
    STAGES.get_or_init(|| scenarios().iter().map(Stage::of).collect())
}

#[test]
fn whatever_happens_to_one_request_what_is_counted_is_the_same() {
    let stages = stages();
    let jobs = sample(singles(stages), 80, 1);
    run(Part::Crashes, &jobs, stages);
}

#[test]
fn whatever_else_happens_after_that_what_is_counted_is_the_same() {
    let stages = stages();
    let jobs = sample(pairs(stages), 60, 2);
    run(Part::Pairs, &jobs, stages);
}
