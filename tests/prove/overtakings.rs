//! One process is held at each of its requests in turn, while another brings something newer to rest; then it goes on with what it
//! knew. And once more, with two such interruptions. Every fault of order that needs no more than that is found, without any luck.

use std::time::Duration;

use serde_json::json;
use taxonomy_protocol::Deadline;
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::effort::{alone, sample, spread};
use taxonomy_tests::world::TENANT;
use tokio::time::{Instant, sleep_until};

use crate::files::{first, refused, second, third};
use crate::proof::Part;
use crate::script::{QUEUE, Step, Tale};
use crate::watch::Rules;

/// Less than an attempt may take, so that the request is late and not given up.
const HELD: Duration = Duration::from_secs(2);

/// Who is held, and what happens meanwhile.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    pub(crate) name: &'static str,
    before: Vec<Step>,
    /// Whose process is held; none: somebody who merely looks.
    held: Option<Step>,
    /// What happens at the first interruption, and at the second.
    meanwhile: [Option<Step>; 2],
}

pub(crate) fn races() -> Vec<Race> {
    let past = vec![Step::Upload(first())];
    let race = |name, held, meanwhile| Race {
        name,
        before: past.clone(),
        held,
        meanwhile,
    };
    let (older, newer) = (Step::Upload(second()), Step::Upload(third()));
    vec![
        race(
            "an upload and the same event",
            Some(older.clone()),
            [Some(Step::Again), None],
        ),
        race(
            "an upload and a newer one",
            Some(older.clone()),
            [Some(newer.clone()), None],
        ),
        race(
            "an upload and two newer ones",
            Some(older.clone()),
            [Some(newer.clone()), Some(Step::Upload(first()))],
        ),
        race(
            "an upload, the same event and a newer one",
            Some(older.clone()),
            [Some(Step::Again), Some(newer.clone())],
        ),
        race(
            "an upload, a newer one and a rebuild",
            Some(older.clone()),
            [Some(newer.clone()), Some(Step::Rebuild)],
        ),
        race(
            "an upload and a refused one",
            Some(older.clone()),
            [Some(Step::Refused(refused())), Some(newer.clone())],
        ),
        race(
            "a packed upload, a newer one, and the same bytes mislabelled",
            Some(Step::Zipped(second())),
            [Some(newer.clone()), Some(Step::Mislabelled(second()))],
        ),
        race(
            "a packed upload, and the same bytes mislabelled",
            Some(Step::Zipped(second())),
            [Some(Step::Mislabelled(second())), None],
        ),
        race(
            "an upload, a rebuild and a newer one",
            Some(older),
            [Some(Step::Rebuild), Some(newer)],
        ),
        Race {
            name: "two first uploads",
            before: Vec::new(),
            held: Some(Step::Upload(first())),
            meanwhile: [Some(Step::Upload(second())), Some(Step::Upload(third()))],
        },
        Race {
            name: "somebody who finishes an upload, and two newer ones",
            before: vec![Step::Upload(first()), Step::HalfWritten(second(), 7)],
            held: None,
            meanwhile: [Some(Step::Upload(third())), Some(Step::Upload(first()))],
        },
        Race {
            name: "somebody who finishes a rebuild, and an upload",
            before: vec![Step::Upload(first()), Step::HalfWritten(second(), 7)],
            held: None,
            meanwhile: [Some(Step::Rebuild), Some(Step::Upload(third()))],
        },
    ]
}

/// At which of its requests the process is held, and at which after that.
pub(crate) type Holds = (usize, Option<usize>);

impl Race {
    /// How many requests the held process sends when nobody disturbs it.
    pub(crate) fn requests(&self) -> usize {
        alone(async {
            let mut tale = Tale::after(&self.before, Rules::All).await.unwrap();
            let begin = tale.world.exchanges().len();
            match &self.held {
                Some(step) => Box::pin(tale.go_on(step)).await.unwrap(),
                None => Box::pin(tale.look()).await.unwrap(),
            }
            tale.world.exchanges().len() - begin
        })
    }

    /// Every single hold, and every pair where there is a second interruption.
    pub(crate) fn holds(&self) -> Vec<Holds> {
        let requests = self.requests();
        let second = if self.meanwhile[1].is_some() { requests } else { 0 };
        let at = |first| (0..=second).map(move |second| (first, Some(second).filter(|second| *second > 0)));
        (1..=requests).flat_map(at).collect()
    }

    pub(crate) async fn run(&self, holds: Holds, rules: Rules) -> Result<(), String> {
        let told = Box::pin(self.told(holds, rules)).await;
        told.map_err(|(wrong, log)| format!("{}, held at {holds:?}: {wrong}\n{}", self.name, log.join("\n")))
    }

    async fn told(&self, (first, second): Holds, rules: Rules) -> Result<(), (String, Vec<String>)> {
        let tale = Tale::after(&self.before, rules).await;
        let mut tale = tale.map_err(|wrong| (wrong, Vec::new()))?;
        tale.world.exchanges().clear();
        tale.forget();
        let told = self.go(&mut tale, first, second).await;
        let log = tale.world.exchanges();
        told.map_err(|wrong| (wrong, log.lines()))
    }

    async fn go(&self, tale: &mut Tale, first: usize, second: Option<usize>) -> Result<(), String> {
        let event = match &self.held {
            Some(step) => tale.put(step),
            None => {
                let message = tale
                    .world
                    .sqs
                    .send(QUEUE, &json!({ "tenant": TENANT }).to_string());
                tale.world.sqs.take(QUEUE);
                sqs_event(QUEUE, &[message])
            }
        };
        tale.told_of(&event);
        let world = tale.world.clone();
        let begin = Instant::now();
        world.wire.inject(When::nth(first), Fault::SlowBeforeApply(HELD));
        let held = Box::pin(async {
            let projector = world.projector();
            projector.handle(event.clone(), Deadline::NONE).await.is_ok()
        });
        let meanwhile = Box::pin(async {
            sleep_until(begin + HELD / 2).await;
            if let Some(step) = &self.meanwhile[0] {
                tale.go_on(step).await?;
            }
            if let (Some(step), Some(second)) = (&self.meanwhile[1], second) {
                world.wire.inject(When::nth(second), Fault::SlowBeforeApply(HELD));
                sleep_until(begin + HELD + HELD / 2).await;
                tale.go_on(step).await?;
            }
            Ok::<(), String>(())
        });
        let (done, meanwhile) = tokio::join!(held, meanwhile);
        meanwhile?;
        if !done {
            Box::pin(tale.go_on(&Step::Again)).await?;
        }
        Box::pin(tale.ends_well()).await
    }
}

/// The ETag speaks of the bytes alone: what is said of them may change between the look and the read.
#[test]
fn bytes_that_are_labelled_anew_before_they_are_read_are_looked_at_anew() {
    let races = races();
    let race = races
        .iter()
        .find(|race| race.name == "a packed upload, and the same bytes mislabelled");
    let wrong: Vec<String> = (1..=5)
        .filter_map(|request| alone(race?.run((request, None), Rules::All)).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn whoever_is_overtaken_anywhere_does_no_harm() {
    let races = races();
    let mut jobs: Vec<(usize, Holds)> = Vec::new();
    for (number, race) in races.iter().enumerate() {
        jobs.extend(race.holds().into_iter().map(|holds| (number, holds)));
    }
    let jobs = sample(jobs, 60, 3);
    let wrong = spread(&jobs, async |(number, holds)| {
        races[*number].run(*holds, Rules::All).await
    });
    Part::Overtakings.done(jobs.len(), &wrong);
}
