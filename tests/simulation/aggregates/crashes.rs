//! Every request of a few histories with every fault, then redelivered in batches of one and in one batch; and pairs of faults.

use std::sync::OnceLock;

use taxonomy_tests::budget::{in_paused_time, run_all, sample};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::thousands;

use crate::draft::Draft;
use crate::fault_plan::{self, NthFault, in_turn};

use super::SUMMARY;
use super::checker::{Delivery, Invariants, check_messages, wrong_items};
use super::history::{History, Step};
use super::workload::deliver;

/// The maximum number of processes until every record is done.
const PROCESSES: usize = 60;

/// Categories with pairs of a term and its parent.
type Shape = &'static [(u64, &'static [(u64, u64)])];

/// The steps whose records are delivered without faults, and those whose requests meet faults.
struct Script {
    name: &'static str,
    past: Vec<Step>,
    steps: Vec<Step>,
}

fn scripts() -> Vec<Script> {
    let first: Shape = &[(1, &[(1, 0), (2, 1), (3, 0)]), (2, &[(4, 0)]), (3, &[])];
    let second: Shape = &[(1, &[(1, 0), (3, 1)]), (2, &[(4, 0), (2, 4)]), (3, &[])];
    let third: Shape = &[(1, &[(1, 0), (2, 1), (3, 0)]), (2, &[(4, 0)]), (3, &[(5, 0)])];
    let fourth: Shape = &[(1, &[(1, 0), (2, 1), (3, 0)]), (3, &[])];
    let upload = |tenant, shape: Shape| Step::Upload(tenant, Draft::of(shape).file());
    let unprojected = |shape: Shape| Step::Unprojected(0, Draft::of(shape).file());
    let script = |name, past: &[Step], steps: &[Step]| Script {
        name,
        past: past.to_vec(),
        steps: steps.to_vec(),
    };
    let past = [upload(0, first)];
    vec![
        script("the first import", &[], &past),
        script("an edit", &past, &[upload(0, second)]),
        script(
            "unprojected versions, with edits that are undone",
            &past,
            &[
                unprojected(second),
                unprojected(third),
                Step::Days(40),
                upload(0, first),
            ],
        ),
        script(
            "a category is removed and added again",
            &past,
            &[upload(0, fourth), upload(0, first)],
        ),
        script(
            "a rebuild after a category was removed",
            &past,
            &[upload(0, fourth), Step::Rebuild(0)],
        ),
        script(
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

/// The history of a script, and the number of requests without faults.
struct Prepared {
    name: &'static str,
    history: History,
    requests: usize,
}

/// A prepared script by number, the faults of the first process and of those after it, and the size of the batches after the first.
type Case = (usize, Vec<Vec<NthFault>>, usize);

impl Prepared {
    fn of(script: &Script) -> Self {
        let steps: Vec<Step> = script.past.iter().chain(&script.steps).cloned().collect();
        let history = in_paused_time(History::of(&steps, script.past.len()));
        let mut prepared = Self {
            name: script.name,
            history,
            requests: 0,
        };
        prepared.requests = in_paused_time(prepared.run_unnamed(&[], usize::MAX)).unwrap();
        prepared
    }

    async fn run(&self, faults: &[Vec<NthFault>], size: usize) -> Result<(), String> {
        let result = Box::pin(self.run_unnamed(faults, size)).await;
        let result = result.map(drop);
        result.map_err(|violation| format!("{} with {faults:?}, then by {size}: {violation}", self.name))
    }

    /// Delivers all records in one batch, and the records that are not done again in batches of `size`, each to a new process, which may meet
    /// the next faults. Returns the number of requests.
    async fn run_unnamed(&self, faults: &[Vec<NthFault>], size: usize) -> Result<usize, String> {
        let (world, history) = (self.history.world().await, &self.history);
        let mut invariants = Invariants::new(history);
        let (records, before) = (&history.records, history.before);
        if deliver(&world, &records[..before]).await < before {
            return Err("a delivery without faults failed".to_owned());
        }
        invariants.check(&world)?;
        if faults
            .iter()
            .flatten()
            .any(|(_, fault)| *fault == Fault::StaleRead)
        {
            world.db.hold_replica();
        }
        let begin = world.exchanges().len();
        let (mut at, mut faults) = (before, faults.iter());
        let mut batch = records.len();
        for _ in 0..PROCESSES {
            if at == records.len() {
                break;
            }
            world.transport.reset_faults();
            for (nth, fault) in faults.next().into_iter().flatten() {
                world.transport.inject(When::nth(*nth), *fault);
            }
            let to = records.len().min(at.saturating_add(batch));
            let process = deliver(&world, &records[at..to]);
            at += world.transport.until_crash(process).await.unwrap_or(0);
            batch = size;
            invariants.check(&world)?;
        }
        let requests = world.exchanges().len() - begin;
        world.transport.settle().await;
        world.transport.reset_faults();
        world.db.drop_replica();
        world.drain_deferred(100).await;
        invariants.check(&world)?;
        if !world.parked().is_empty() {
            return Err(format!(
                "parked although nothing is damaged: {:?}",
                world.parked()
            ));
        }
        if let Some(wrong) = wrong_items(&world, history).first() {
            return Err(format!("at the end: {wrong:?}"));
        }
        let delivery = Delivery {
            // A deferred record may be published after later ones of its tenant.
            is_ordered: world.exchanges().count("SendMessage") == 0,
            ..Delivery::default()
        };
        check_messages(&world, history, &delivery)?;
        Ok(requests)
    }
}

fn singles(scripts: &[Prepared]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, script) in scripts.iter().enumerate() {
        for fault in fault_plan::singles(script.requests) {
            cases.extend([1, usize::MAX].map(|size| (number, vec![vec![fault]], size)));
        }
    }
    cases
}

/// Returns a crash after each request with a fault at each request of the next process, and two faults of one process. The faults and the
/// sizes of the batches take turns.
fn pairs(scripts: &[Prepared]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, script) in scripts.iter().enumerate() {
        for (crash, fault) in fault_plan::pairs(script.requests, 3) {
            let (i, j) = (crash.0, fault.0);
            let size = [1, usize::MAX, 2][(i + 2 * j) % 3];
            cases.push((number, vec![vec![crash], vec![fault]], size));
            if i < j {
                cases.push((number, vec![vec![(i, in_turn(i + 3 * j)), fault]], size));
            }
        }
    }
    cases
}

fn run(part: &str, cases: &[Case], scripts: &[Prepared]) {
    let violations = run_all(cases, async |(number, faults, size)| {
        scripts[*number].run(faults, *size).await
    });
    let text = format!("{} {part}", thousands(cases.len()));
    SUMMARY.record(part, cases.len(), text, &violations);
}

fn prepared() -> &'static [Prepared] {
    static PREPARED: OnceLock<Vec<Prepared>> = OnceLock::new();
    PREPARED.get_or_init(|| scripts().iter().map(Prepared::of).collect())
}

#[test]
fn every_single_fault_leaves_the_counts_exact() {
    let scripts = prepared();
    run("crashes", &sample(singles(scripts), 80, 1), scripts);
}

#[test]
fn every_pair_of_faults_leaves_the_counts_exact() {
    let scripts = prepared();
    run("pairs", &sample(pairs(scripts), 60, 2), scripts);
}
