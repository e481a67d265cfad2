//! One process is paused at each of its requests in turn while others bring something newer to rest; then it continues with its old state. And
//! again with two such pauses. This finds every fault of order that needs no more than two, without luck.

use std::time::Duration;

use taxonomy_tests::budget::{in_paused_time, run_all, sample};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::thousands;
use tokio::time::{Instant, sleep_until};

use crate::actors::{project, send_reconcile};
use crate::draft::refused;

use super::files::{first, second, third};
use super::script::Run;
use super::step::Step;
use super::{SUMMARY, counted};

/// The length of a pause: shorter than the time of an attempt, so that the request is late and not given up.
const PAUSE: Duration = Duration::from_secs(2);

/// A paused process, and the steps during its pauses.
struct Race {
    name: &'static str,
    past: Run,
    /// The step whose process is paused; `None` for a process that reconciles.
    paused: Option<Step>,
    /// The steps during the first pause and the second.
    meanwhile: [Option<Step>; 2],
}

fn races() -> Vec<Race> {
    let [one, older, newer] = [first(), second(), third()].map(Step::Upload);
    let past = vec![one.clone()];
    let half_written = vec![one.clone(), Step::HalfWritten(second(), 7)];
    let compressed = Step::CompressedUpload(second());
    let mislabel = Step::Mislabel(second());
    let race = |name, past: &[Step], paused: Option<&Step>, meanwhile: [Option<&Step>; 2]| Race {
        name,
        past: in_paused_time(Run::after(past)).unwrap(),
        paused: paused.cloned(),
        meanwhile: meanwhile.map(|step| step.cloned()),
    };
    let of_older = |name, meanwhile: [Option<&Step>; 2]| race(name, &past, Some(&older), meanwhile);
    vec![
        of_older("an upload and the same event", [Some(&Step::Redeliver), None]),
        of_older("an upload and a newer one", [Some(&newer), None]),
        of_older("an upload and two newer ones", [Some(&newer), Some(&one)]),
        of_older(
            "an upload, the same event and a newer one",
            [Some(&Step::Redeliver), Some(&newer)],
        ),
        of_older(
            "an upload, a newer one and a rebuild",
            [Some(&newer), Some(&Step::Rebuild)],
        ),
        of_older(
            "an upload, a request and a newer one",
            [Some(&Step::Ask(Request::Rebuild)), Some(&newer)],
        ),
        of_older(
            "an upload and a refused one",
            [Some(&Step::Refused(refused(0))), Some(&newer)],
        ),
        race(
            "a compressed upload, a newer one, and the same bytes mislabelled",
            &past,
            Some(&compressed),
            [Some(&newer), Some(&mislabel)],
        ),
        race(MISLABELLED, &past, Some(&compressed), [Some(&mislabel), None]),
        of_older(
            "an upload, a rebuild and a newer one",
            [Some(&Step::Rebuild), Some(&newer)],
        ),
        race("two first uploads", &[], Some(&one), [Some(&older), Some(&newer)]),
        race(
            "a process that finishes an upload, and two newer ones",
            &half_written,
            None,
            [Some(&newer), Some(&one)],
        ),
        race(
            "a process that finishes a rebuild, and an upload",
            &half_written,
            None,
            [Some(&Step::Rebuild), Some(&newer)],
        ),
    ]
}

/// The race in which the label of an object changes and its bytes do not.
const MISLABELLED: &str = "a compressed upload, and the same bytes mislabelled";

/// The requests at which the process is paused: the number of the first, and that of the second counted from there.
type Pauses = (usize, Option<usize>);

impl Race {
    /// Returns the number of requests of the paused process if it is not paused.
    fn requests(&self) -> usize {
        in_paused_time(async {
            let mut run = self.past.copy();
            match &self.paused {
                Some(step) => Box::pin(run.perform(step)).await.unwrap(),
                None => Box::pin(run.reconcile()).await.unwrap(),
            }
            run.world.exchanges().len()
        })
    }

    /// Returns every single pause, and every pair of pauses if there is a second step.
    fn pauses(&self) -> Vec<Pauses> {
        let requests = self.requests();
        let second = if self.meanwhile[1].is_some() { requests } else { 0 };
        let at = |first| (0..=second).map(move |second| (first, Some(second).filter(|second| *second > 0)));
        (1..=requests).flat_map(at).collect()
    }

    async fn run(&self, pauses: Pauses) -> Result<(), String> {
        let mut run = self.past.copy();
        let result = Box::pin(self.race(&mut run, pauses)).await;
        let log = run.world.exchanges();
        result.map_err(|violation| {
            let log = log.lines().join("\n");
            format!("{}, paused at {pauses:?}: {violation}\n{log}", self.name)
        })
    }

    async fn race(&self, run: &mut Run, (first, second): Pauses) -> Result<(), String> {
        let event = match &self.paused {
            Some(step) => run.put(step),
            None => {
                let message = send_reconcile(&run.world);
                run.world.sqs.take(RETRIES);
                sqs_event(RETRIES, &[message])
            }
        };
        run.set_event(&event);
        let world = run.world.clone();
        let begin = Instant::now();
        let pause_at = |nth| {
            let pause = Fault::SlowBeforeApply(PAUSE);
            world.transport.inject(When::nth(nth), pause);
        };
        pause_at(first);
        let paused = Box::pin(project(&world, event.clone(), Deadline::NONE));
        let meanwhile = Box::pin(async {
            sleep_until(begin + PAUSE / 2).await;
            if let Some(step) = &self.meanwhile[0] {
                run.perform(step).await?;
            }
            if let (Some(step), Some(second)) = (&self.meanwhile[1], second) {
                pause_at(second);
                sleep_until(begin + PAUSE + PAUSE / 2).await;
                run.perform(step).await?;
            }
            Ok::<(), String>(())
        });
        let (succeeded, meanwhile) = tokio::join!(paused, meanwhile);
        meanwhile?;
        if !succeeded {
            Box::pin(run.perform(&Step::Redeliver)).await?;
        }
        Box::pin(run.finish()).await
    }
}

/// The ETag depends on the bytes alone: the label may change between the HEAD request and the read.
#[test]
fn a_label_that_changes_before_the_read_is_noticed() {
    let races = races();
    let race = races.iter().find(|race| race.name == MISLABELLED).unwrap();
    let violations: Vec<String> = (1..=5)
        .filter_map(|request| in_paused_time(race.run((request, None))).err())
        .collect();
    assert!(violations.is_empty(), "{}", violations.join("\n\n"));
}

#[test]
fn a_preempted_process_is_harmless() {
    let races = races();
    let cases = races.iter().enumerate().flat_map(|(number, race)| {
        let pauses = race.pauses().into_iter();
        pauses.map(move |pauses| (number, pauses))
    });
    let cases = sample(cases.collect(), 30, 3);
    let requests = races.iter().map(|race| (race.name, race.requests()));
    let violations = run_all(&cases, async |(number, pauses)| races[*number].run(*pauses).await);
    SUMMARY.record(
        "preemptions",
        cases.len(),
        format!("{} preemptions, of {}", thousands(cases.len()), counted(requests)),
        &violations,
    );
}
