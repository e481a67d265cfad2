//! Every request of every scenario with every fault, and whatever follows; then every pair of them.

use std::time::Duration;

use taxonomy_testkit::Fault;
use taxonomy_tests::effort::{alone, everything, sample, spread};

use crate::files::{bilingual, first, refused, second, third};
use crate::proof::Part;
use crate::script::{Mishap, Step, Tale};
use crate::watch::Rules;

/// A tenant's past, and what happens to it while requests go wrong.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    before: Vec<Step>,
    then: Vec<Step>,
}

pub(crate) fn scenarios() -> Vec<Scenario> {
    let upload = |file| Step::Upload(file);
    let scenario = |name, before: &[Step], then: &[Step]| Scenario {
        name,
        before: before.to_vec(),
        then: then.to_vec(),
    };
    let past = [upload(first())];
    vec![
        scenario("the first upload", &[], &[upload(first())]),
        scenario("the next upload", &past, &[upload(second())]),
        scenario(
            "the version after the next",
            &[upload(first()), upload(second())],
            &[upload(third())],
        ),
        scenario(
            "a return to the version before",
            &[upload(first()), upload(second())],
            &[upload(first())],
        ),
        scenario(
            "two uploads in a row",
            &past,
            &[upload(second()), upload(third())],
        ),
        scenario("a refused upload", &past, &[Step::Refused(refused())]),
        scenario(
            "a refused upload before any other",
            &[],
            &[Step::Refused(refused()), upload(first())],
        ),
        scenario("an upload in haste", &past, &[Step::InHaste(second(), 7)]),
        scenario(
            "an upload over a half-written one",
            &[upload(first()), Step::HalfWritten(second(), 7)],
            &[upload(third())],
        ),
        scenario(
            "a rebuild",
            &[upload(first()), upload(second())],
            &[Step::Rebuild],
        ),
        scenario(
            "a rebuild over a half-written version",
            &[upload(first()), Step::HalfWritten(second(), 7)],
            &[Step::Rebuild],
        ),
        scenario("a later format", &past, &[Step::Reformat]),
        scenario(
            "a later format over a half-written version",
            &[upload(first()), Step::HalfWritten(second(), 7)],
            &[Step::Reformat],
        ),
        scenario("another default culture", &[upload(bilingual())], &[Step::French]),
    ]
}

/// Everything that can happen to a request.
pub(crate) const FAULTS: [Fault; 12] = [
    Fault::DropBeforeSend,
    Fault::AnswerLost,
    Fault::ServerErrorAfterApply,
    Fault::Throttle,
    Fault::TransactionConflict,
    Fault::Crash,
    Fault::CrashAfterApply,
    Fault::StaleRead,
    // Within what an attempt may take, longer than that, and longer than whoever sent it lives.
    Fault::SlowBeforeApply(Duration::from_secs(2)),
    Fault::SlowBeforeApply(Duration::from_secs(5)),
    Fault::SlowBeforeApply(Duration::from_secs(60)),
    Fault::SlowAnswer(Duration::from_secs(5)),
];

impl Scenario {
    /// Runs it with these mishaps; how many requests there were until everybody believed to be done.
    pub(crate) async fn run(&self, mishaps: &[Mishap], rules: Rules) -> Result<usize, String> {
        Box::pin(self.told(mishaps, rules))
            .await
            .map_err(|wrong| format!("{} with {mishaps:?}: {wrong}", self.name))
    }

    async fn told(&self, mishaps: &[Mishap], rules: Rules) -> Result<usize, String> {
        let mut tale = Tale::after(&self.before, rules).await?;
        tale.world.db.hold_replica();
        let begin = tale.world.exchanges().len();
        tale.expect(mishaps);
        for step in &self.then {
            Box::pin(tale.go_on(step)).await?;
        }
        let requests = tale.world.exchanges().len() - begin;
        tale.world.db.drop_replica();
        tale.ends_well().await?;
        Ok(requests)
    }

    /// How many requests it takes when nothing goes wrong.
    pub(crate) fn requests(&self) -> Result<usize, String> {
        alone(self.run(&[], Rules::All))
    }
}

/// Scenario by number, and what goes wrong.
type Job = (usize, Vec<Mishap>);

fn singles(scenarios: &[Scenario]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let requests = scenario.requests().unwrap();
        jobs.extend((1..=requests).flat_map(|nth| FAULTS.map(|fault| (number, vec![(nth, fault)]))));
    }
    jobs
}

/// A process that dies at one request, and something that happens to any request of the one after it. What is durable is the same
/// whether it dies before one request or after the one before, so only one of them is tried; the second fault goes round.
fn pairs(scenarios: &[Scenario]) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (number, scenario) in scenarios.iter().enumerate() {
        let requests = scenario.requests().unwrap();
        for i in 1..=requests {
            // The one after it has at most as many to send, but for what it looks up about the past.
            jobs.extend((1..=requests + 6).map(|j| {
                let second = FAULTS[(i + j) % FAULTS.len()];
                (number, vec![(i, Fault::CrashAfterApply), (j, second)])
            }));
        }
    }
    jobs
}

fn run(part: Part, jobs: &[Job], scenarios: &[Scenario]) {
    let wrong = spread(jobs, async |(number, mishaps)| {
        scenarios[*number].run(mishaps, Rules::All).await.map(drop)
    });
    part.done(jobs.len(), &wrong);
}

#[test]
fn whatever_happens_to_one_request_the_end_is_the_same() {
    let scenarios = scenarios();
    let jobs = sample(singles(&scenarios), 150, 1);
    run(Part::Crashes, &jobs, &scenarios);
}

#[test]
fn whatever_happens_to_whoever_follows_a_dead_process_the_end_is_the_same() {
    let scenarios = scenarios();
    let jobs = sample(pairs(&scenarios), 80, 2);
    assert!(everything() || jobs.len() == 80);
    run(Part::Pairs, &jobs, &scenarios);
}
