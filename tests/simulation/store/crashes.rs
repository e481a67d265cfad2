//! Every request of every script with every fault, with all that follows, and then pairs of faults.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use taxonomy_testkit::Exchange;
use taxonomy_tests::budget::{in_paused_time, run_all, sample};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::thousands;

use crate::draft::refused;
use crate::fault_plan::{FAULTS, NthFault, in_turn};
use crate::raw::is_read;

use super::files::{bilingual, first, second, third};
use super::script::Run;
use super::step::Step;
use super::{SUMMARY, counted};

/// A tenant with its past, and the steps whose requests meet faults.
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) past: Run,
    pub(crate) steps: Vec<Step>,
    /// The number of their requests without faults.
    requests: usize,
}

fn script(name: &'static str, past: &[Step], steps: &[Step]) -> Script {
    let mut script = Script {
        name,
        past: in_paused_time(Run::after(past)).unwrap(),
        steps: steps.to_vec(),
        requests: 0,
    };
    (script.requests, _) = in_paused_time(script.run(&[NEVER])).unwrap();
    script
}

pub(crate) fn scripts() -> &'static [Script] {
    static SCRIPTS: OnceLock<Vec<Script>> = OnceLock::new();
    let all = || [scripts_of_uploads(), scripts_of_loads(), scripts_of_operators()];
    SCRIPTS.get_or_init(|| all().into_iter().flatten().collect())
}

/// Uploads of a tenant whose table has its newest version.
fn scripts_of_uploads() -> Vec<Script> {
    let upload = Step::Upload;
    let one = [upload(first())];
    let two = [upload(first()), upload(second())];
    let refusal = Step::Refused(refused(0));
    vec![
        script("the first upload", &[], &one),
        script("the next upload", &one, &[upload(second())]),
        script("the version after the next", &two, &[upload(third())]),
        script("a return to the version before", &two, &one),
        script("two uploads in a row", &one, &[upload(second()), upload(third())]),
        script("a refused upload", &one, std::slice::from_ref(&refusal)),
        script(
            "a refused upload before any other",
            &[],
            &[refusal.clone(), upload(first())],
        ),
        script(
            "the same content before and after a refused upload",
            &one,
            &[upload(first()), refusal, upload(first())],
        ),
        script("short invocations", &one, &[Step::ShortInvocations(second(), 12)]),
    ]
}

/// What comes over a load that did not end.
fn scripts_of_loads() -> Vec<Script> {
    let upload = Step::Upload;
    let one = [upload(first())];
    let half_written = [upload(first()), Step::HalfWritten(second(), 7)];
    vec![
        script(
            "an upload over a half-written one",
            &half_written,
            &[upload(third())],
        ),
        script(
            "a return over a half-written version",
            &half_written,
            &[upload(first())],
        ),
        script(
            "a rebuild over a half-written version",
            &half_written,
            &[Step::Rebuild],
        ),
        script(
            "the next format over a half-written version",
            &half_written,
            // No write of a load is under way after sixteen minutes, so that it is given up.
            &[Step::NextFormat, Step::Pass(960), Step::NextFormat],
        ),
        script(
            "an upload while a load is unfinished",
            &one,
            &[Step::CutOff(second(), 14), upload(third())],
        ),
        script(
            "uploads in a row while a load is unfinished",
            &one,
            &[
                Step::CutOff(second(), 14),
                Step::CutOff(third(), 14),
                upload(first()),
            ],
        ),
        script(
            "uploads over versions that no load began",
            &one,
            &[Step::Unloaded(second()), Step::Unloaded(third()), upload(first())],
        ),
        script(
            "an item that is refused, and an upload without it",
            &one,
            &[Step::RefusedItem(second(), "TERM#acme#6"), upload(first())],
        ),
    ]
}

/// What operators and later builds ask for.
fn scripts_of_operators() -> Vec<Script> {
    let upload = Step::Upload;
    let one = [upload(first())];
    let two = [upload(first()), upload(second())];
    vec![
        script(
            "a rebuild that is followed before its load",
            &[two.as_slice(), &[Step::Damage("CATEGORY#acme#1")]].concat(),
            &[Step::UnloadedRebuild, upload(third())],
        ),
        script(
            "a rebuild that nobody tells of, and an upload",
            &two,
            &[Step::Ask(Request::Rebuild), upload(third())],
        ),
        script(
            "a rollback that nobody tells of, and an upload",
            &two,
            &[
                Step::Ask(Request::Rollback { to: Version::FIRST }),
                upload(third()),
            ],
        ),
        script(
            "a restored table, and another upload",
            &[upload(first()), Step::Backup, upload(second()), Step::Restore],
            &[upload(third())],
        ),
        script("a rebuild", &two, &[Step::Rebuild]),
        script("the next format", &one, &[Step::NextFormat]),
        script(
            "another default culture",
            &[upload(bilingual())],
            &[Step::MakeFrenchDefault],
        ),
        script(
            "an upload that waits for the end of a freeze",
            &one,
            &[Step::Freeze, upload(second())],
        ),
    ]
}

/// A fault that no request meets. It counts the requests since the fault before it.
const NEVER: NthFault = (usize::MAX, Fault::Crash);

impl Script {
    /// Runs the script with faults, each of which must meet a request. Returns the number of requests since the last fault but one, and the stack.
    async fn run(&self, faults: &[NthFault]) -> Result<(usize, World), String> {
        let result = Box::pin(self.run_unnamed(faults)).await;
        result.map_err(|violation| format!("{} with {faults:?}: {violation}", self.name))
    }

    async fn run_unnamed(&self, faults: &[NthFault]) -> Result<(usize, World), String> {
        let mut run = self.past.copy();
        if faults.iter().any(|(_, fault)| *fault == Fault::StaleRead) {
            run.world.db.hold_replica();
        }
        run.expect(faults);
        for step in &self.steps {
            Box::pin(run.perform(step)).await?;
        }
        let requests = run.requests().ok_or("a crash met no request")?;
        if !run.met_every_fault() && !faults.ends_with(&[NEVER]) {
            return Err("a fault met no request".to_owned());
        }
        run.world.db.drop_replica();
        run.finish().await?;
        Ok((requests, run.world))
    }
}

/// A script by number, and one of its requests, from 1.
pub(crate) type Place = (usize, usize);

/// Returns every request of every script.
pub(crate) fn places() -> impl Iterator<Item = Place> {
    let numbered = scripts().iter().enumerate();
    numbered.flat_map(|(number, script)| (1..=script.requests).map(move |nth| (number, nth)))
}

fn record(part: &str, cases: usize, violations: &[String]) {
    let requests = scripts().iter().map(|script| (script.name, script.requests));
    let text = format!("{} {part}, of {}", thousands(cases), counted(requests));
    SUMMARY.record(part, cases, text, violations);
}

#[test]
fn every_single_fault_is_harmless() {
    let cases = places().flat_map(|(number, nth)| FAULTS.map(|fault| (number, (nth, fault))));
    let cases = sample(cases.collect(), 60, 1);
    let violations = run_all(&cases, async |(number, fault)| {
        scripts()[*number].run(&[*fault]).await.map(drop)
    });
    record("crashes", cases.len(), &violations);
}

/// A process dies after each write, and what follows meets a fault at each of its requests; the second fault takes turns. What is stored is the
/// same whether a process dies after a write, at a read that follows, or before the next write, so only the first is tried.
#[test]
fn every_pair_of_faults_is_harmless() {
    let (places, cases) = (sample(places().collect(), 40, 2), AtomicUsize::new(0));
    let violations = run_all(&places, async |(number, nth)| {
        let (script, crash) = (&scripts()[*number], (*nth, Fault::CrashAfterApply));
        let (after, world) = script.run(&[crash, NEVER]).await?;
        let died = |exchange: &Exchange| exchange.fault == Some(crash.1);
        let died_at = world.exchanges().since(0).into_iter().find(died);
        if died_at.is_some_and(|request| is_read(&request.operation)) {
            return Ok(());
        }
        for second in sample((1..=after).collect(), 1, 3) {
            cases.fetch_add(1, Ordering::SeqCst);
            script.run(&[crash, (second, in_turn(nth + second))]).await?;
        }
        Ok(())
    });
    record("pairs", cases.into_inner(), &violations);
}
