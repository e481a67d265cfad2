//! New versions, and processes that lag behind.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::stream;
use taxonomy_client::expander::{Answer, Error, Expander, ExpanderSettings, Metric, Source};
use taxonomy_keys::TermId;

use crate::world::{Step, World, id, metric, run, terms};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[tokio::test(start_paused = true)]
async fn a_new_version_is_noticed_within_the_time_of_a_check() {
    let steps: Vec<Step> = (0..2_000)
        .flat_map(|_| [metric([1]), Step::Pause(ms(20))])
        .collect();
    let world = World::new(1, terms(5, 1)).with_version(Duration::from_secs(12), 2, terms(5, 2));
    let run = run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    let (first, _) = run
        .metrics
        .iter()
        .find(|(expanded, _)| expanded.version == Some(2))
        .unwrap();
    let noticed = first.value.at;
    assert!(
        (Duration::from_secs(12)..=Duration::from_secs(18)).contains(&noticed),
        "{noticed:?}"
    );
    let checks = world.checks();
    assert!(
        checks.is_sorted_by(|a, b| *b - *a >= Duration::from_secs(5)),
        "{checks:?}"
    );
    assert!((6..=8).contains(&checks.len()), "{checks:?}");
    assert_eq!(world.asked(), [[1], [1]]);
}

#[tokio::test(start_paused = true)]
async fn no_check_is_made_while_answers_show_the_version() {
    let steps: Vec<Step> = (0..2_000)
        .flat_map(|at| [metric([at + 1]), Step::Pause(ms(20))])
        .collect();
    let world = World::new(1, terms(5_000, 1));
    run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    assert!(world.checks().is_empty(), "{:?}", world.checks());
}

#[tokio::test(start_paused = true)]
async fn no_check_is_made_while_no_metric_comes() {
    let steps = [metric([1]), Step::Pause(Duration::from_secs(600)), metric([1])];
    let world = World::new(1, terms(5, 1)).with_version(Duration::from_secs(300), 2, terms(5, 2));
    let run = run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
    assert_eq!(world.checks().len(), 1);
    assert!(world.checks()[0] >= Duration::from_secs(600));
    assert_eq!(
        run.metrics[1].0.version,
        Some(2),
        "names of the cache are ten minutes old"
    );
}

/// Serves a version more with each request.
struct MovingSource(AtomicU64);

impl Source for MovingSource {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        let version = self.0.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(ms(version)).await;
        let names = ids.iter().map(|id| Some(vec![format!("{id} v{version}")]));
        Ok(Answer {
            version: Some(version),
            terms: names.collect(),
        })
    }

    async fn version(&self) -> Result<u64, String> {
        Ok(self.0.load(Ordering::Relaxed))
    }
}

fn metrics(ids: &[u64]) -> Metric<u64> {
    Metric {
        value: 0,
        ids: ids.iter().map(|number| id(*number)).collect(),
        bytes: 1,
    }
}

#[tokio::test(start_paused = true)]
async fn a_metric_of_two_batches_whose_versions_never_agree_ends_with_an_error() {
    let source = MovingSource(AtomicU64::new(1));
    let large: Vec<u64> = (1..=150).collect();
    let input = stream::iter([metrics(&[7]), metrics(&large), metrics(&[8])]);
    let settings = ExpanderSettings {
        concurrency: 1,
        read_ahead_items: 1,
        ..ExpanderSettings::default()
    };
    let mut expander = Expander::new(&source, input, settings);
    assert_eq!(expander.next().await.unwrap().unwrap().names.len(), 1);
    let error = expander.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Unsettled), "{error}");
    assert!(expander.next().await.is_none());
    let requests = expander.statistics().requests;
    assert!(requests <= 20, "{requests} requests");
}

/// Answers with each version of a list, then with the last one.
struct Scripted(Vec<u64>, AtomicU64);

impl Scripted {
    fn next(&self) -> u64 {
        let at = self.1.fetch_add(1, Ordering::Relaxed);
        let at = usize::try_from(at).unwrap().min(self.0.len() - 1);
        self.0[at]
    }
}

impl Source for Scripted {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        let version = self.next();
        let names = ids.iter().map(|id| Some(vec![format!("{id} v{version}")]));
        Ok(Answer {
            version: Some(version),
            terms: names.collect(),
        })
    }

    async fn version(&self) -> Result<u64, String> {
        Ok(self.next())
    }
}

async fn expand_in_turn(versions: &[u64]) -> (Vec<String>, Option<Error<String>>, Duration) {
    let source = Scripted(versions.to_vec(), AtomicU64::new(0));
    let input = stream::iter([metrics(&[1]), metrics(&[2]), metrics(&[3])]);
    let settings = ExpanderSettings {
        concurrency: 1,
        read_ahead_items: 1,
        ..ExpanderSettings::default()
    };
    let started = tokio::time::Instant::now();
    let mut expander = Expander::new(&source, input, settings);
    let (mut names, mut error) = (Vec::new(), None);
    while let Some(next) = expander.next().await {
        match next {
            Ok(expanded) => names.extend(expanded.names.iter().map(|name| name.to_string())),
            Err(failure) => error = Some(failure),
        }
    }
    (names, error, started.elapsed())
}

#[tokio::test(start_paused = true)]
async fn an_older_answer_is_asked_for_again() {
    let (names, error, _) = expand_in_turn(&[5, 4, 4, 4, 5, 6]).await;
    assert_eq!(names, ["1 v5", "2 v5", "3 v6"]);
    assert!(error.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_source_that_stays_older_ends_the_expansion_after_seconds() {
    let (names, error, took) = expand_in_turn(&[5, 4]).await;
    assert_eq!(names, ["1 v5"]);
    assert!(
        matches!(error, Some(Error::Lagging { seen: 5, answered: 4 })),
        "{error:?}"
    );
    // Longer than a process of the lookup may serve a replaced version, and bounded.
    assert!((ms(3_000)..ms(5_000)).contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_newer_answer_replaces_the_names_of_the_metric_that_waits() {
    // The first 100 ids come in version 1, the others in version 2: the first 100 are asked for again.
    let steps = [metric(1..=150)];
    let settings = ExpanderSettings {
        concurrency: 1,
        ..ExpanderSettings::default()
    };
    let mut mixed = 0;
    for seed in 0..50 {
        let mut world = World::new(seed, terms(200, 1)).with_version(ms(40), 2, terms(200, 2));
        world.slowest = ms(20);
        let run = run(&world, &steps, settings.clone(), Duration::ZERO).await;
        let (expanded, _) = &run.metrics[0];
        crate::reference::assert_correct(&world, expanded, seed);
        mixed += usize::from(world.asked().len() > 2);
    }
    assert!(
        mixed > 5,
        "the version changed between two answers in {mixed} runs"
    );
}

/// Knows the id 900 from version 2 on, which comes after the answer that lacks it and before that to the question for the version.
struct Overtaken(AtomicU64);

impl Source for Overtaken {
    type Error = String;

    async fn names(&self, ids: &[TermId]) -> Result<Answer, String> {
        let version = self.0.load(Ordering::Relaxed);
        let is_known = |id: &TermId| id.get() != 900 || version == 2;
        let names = |id: &TermId| is_known(id).then(|| vec![format!("{id} v{version}")]);
        let terms: Vec<_> = ids.iter().map(names).collect();
        let has_names = terms.iter().any(Option::is_some);
        Ok(Answer {
            version: has_names.then_some(version),
            terms,
        })
    }

    async fn version(&self) -> Result<u64, String> {
        self.0.store(2, Ordering::Relaxed);
        Ok(2)
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_names_is_not_taken_for_one_of_a_version_that_came_after_it() {
    let source = Overtaken(AtomicU64::new(1));
    let input = stream::iter([metrics(&[1]), metrics(&[900])]);
    let settings = ExpanderSettings {
        read_ahead_items: 1,
        ..ExpanderSettings::default()
    };
    let mut expander = Expander::new(&source, input, settings);
    assert_eq!(expander.next().await.unwrap().unwrap().version, Some(1));
    let second = expander.next().await.unwrap().unwrap();
    assert_eq!((second.version, second.unknown.len()), (Some(2), 0));
    assert_eq!(&*second.names[0], "900 v2");
}
