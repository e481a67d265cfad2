//! Every request of every script with every fault, with all that follows, and then pairs of faults.

use taxonomy_keys::Version;
use taxonomy_store::Request;
use taxonomy_tests::budget::{in_paused_time, is_full, run_all, sample};
use taxonomy_tests::summary::thousands;

use crate::draft::refused;
use crate::fault_plan::{self, NthFault};

use super::script::{Run, Step, bilingual, first, second, third};
use super::{SUMMARY, counted};

/// The steps of a tenant's past, and the steps whose requests meet faults.
#[derive(Debug, Clone)]
struct Script {
    name: &'static str,
    past: Vec<Step>,
    steps: Vec<Step>,
}

fn script(name: &'static str, past: &[Step], steps: &[Step]) -> Script {
    Script {
        name,
        past: past.to_vec(),
        steps: steps.to_vec(),
    }
}

fn scripts() -> Vec<Script> {
    [scripts_of_uploads(), scripts_of_loads(), scripts_of_operators()].concat()
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
            &[refusal, upload(first())],
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
                Step::CutOff(first(), 14),
                upload(second()),
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
    ]
}

impl Script {
    /// Runs the script with faults. Returns the number of requests before the final checks.
    async fn run(&self, faults: &[NthFault]) -> Result<usize, String> {
        let result = Box::pin(self.run_unnamed(faults)).await;
        result.map_err(|violation| format!("{} with {faults:?}: {violation}", self.name))
    }

    async fn run_unnamed(&self, faults: &[NthFault]) -> Result<usize, String> {
        let mut run = Run::after(&self.past).await?;
        run.world.db.hold_replica();
        let begin = run.world.exchanges().len();
        run.expect(faults);
        for step in &self.steps {
            Box::pin(run.perform(step)).await?;
        }
        let requests = run.world.exchanges().len() - begin;
        run.world.db.drop_replica();
        run.finish().await?;
        Ok(requests)
    }

    /// Returns the number of requests without faults.
    fn requests(&self) -> usize {
        in_paused_time(self.run(&[])).unwrap()
    }
}

/// A script by number, and its faults.
type Case = (usize, Vec<NthFault>);

/// Runs the cases that `plan` makes of the number of requests of each script, or a sample of them.
fn run<P: Iterator<Item = Vec<NthFault>>>(part: &str, plan: impl Fn(usize) -> P, few: usize, seed: u64) {
    let scripts = scripts();
    let requests: Vec<usize> = scripts.iter().map(Script::requests).collect();
    let cases = requests.iter().enumerate().flat_map(|(number, requests)| {
        let faults = plan(*requests);
        faults.map(move |faults| (number, faults))
    });
    let cases: Vec<Case> = sample(cases.collect(), few, seed);
    assert!(is_full() || cases.len() == few);
    let violations = run_all(&cases, async |(number, faults)| {
        scripts[*number].run(faults).await.map(drop)
    });
    let names = scripts.iter().map(|script| script.name);
    let text = format!(
        "{} {part}, of {}",
        thousands(cases.len()),
        counted(names.zip(requests))
    );
    SUMMARY.record(part, cases.len(), text, &violations);
}

#[test]
fn every_single_fault_is_harmless() {
    let singles = |requests| fault_plan::singles(requests).map(|fault| vec![fault]);
    run("crashes", singles, 60, 1);
}

#[test]
fn every_pair_of_faults_is_harmless() {
    // The process after a crash sends more requests only to read the past.
    let pairs = |requests| fault_plan::pairs(requests, 6).map(|(crash, fault)| vec![crash, fault]);
    run("pairs", pairs, 40, 2);
}
