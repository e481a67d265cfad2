//! New versions, and processes that lag behind.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream;
use taxonomy_client::expander::Error;
use taxonomy_keys::TermId;

use crate::world::{Scripted, Step, World, answer, expand, in_turn, metric, ms, outcome, plain, terms};

#[tokio::test(start_paused = true)]
async fn a_new_version_is_noticed_within_the_time_of_a_check() {
    let step = |_| [metric([1]), Step::Pause(ms(20))];
    let steps: Vec<Step> = (0..2_000).flat_map(step).collect();
    let world = World::new(1, terms(5, 1)).with_version(ms(12_000), 2, terms(5, 2));
    let run = expand(&world, &steps).await;
    let mut expanded = run.metrics.iter().map(|(expanded, _)| expanded);
    let first = expanded.find(|expanded| expanded.version == Some(2)).unwrap();
    let noticed = first.value.at;
    assert!((ms(12_000)..=ms(18_000)).contains(&noticed), "{noticed:?}");
    let checks = world.watched().checks;
    assert!(checks.is_sorted_by(|a, b| *b - *a >= ms(5_000)), "{checks:?}");
    assert!((6..=8).contains(&checks.len()), "{checks:?}");
    assert_eq!(world.watched().asked, [[1], [1]]);
}

#[tokio::test(start_paused = true)]
async fn no_check_is_made_while_answers_show_the_version() {
    let step = |at: u64| [metric([at + 1]), Step::Pause(ms(20))];
    let steps: Vec<Step> = (0..2_000).flat_map(step).collect();
    let world = World::new(1, terms(5_000, 1));
    expand(&world, &steps).await;
    assert!(world.watched().checks.is_empty(), "{:?}", world.watched().checks);
}

#[tokio::test(start_paused = true)]
async fn no_check_is_made_while_no_metric_comes() {
    let steps = [metric([1]), Step::Pause(ms(600_000)), metric([1])];
    let world = World::new(1, terms(5, 1)).with_version(ms(300_000), 2, terms(5, 2));
    let run = expand(&world, &steps).await;
    assert_eq!(world.watched().checks.len(), 1);
    assert!(world.watched().checks[0] >= ms(600_000));
    let version = run.metrics[1].0.version;
    assert_eq!(version, Some(2), "names of the cache are ten minutes old");
}

/// A version more with each request.
#[tokio::test(start_paused = true)]
async fn a_metric_of_two_batches_whose_versions_never_agree_ends_with_an_error() {
    let version = AtomicU64::new(1);
    let names = |ids: &[TermId]| answer(version.fetch_add(1, Ordering::Relaxed), ids, |_| true);
    let source = Scripted(names, || Ok(version.load(Ordering::Relaxed)));
    let input = stream::iter([plain([7]), plain(1..=150), plain([8])]);
    let (expanded, error, statistics) = outcome(&source, input, in_turn()).await;
    assert_eq!((expanded.len(), expanded[0].names.len()), (1, 1));
    assert!(matches!(error, Some(Error::Unsettled)), "{error:?}");
    assert!(statistics.requests <= 20, "{} requests", statistics.requests);
}

/// Expands three metrics by a source that answers with each of these versions, then with the last one. Returns the names, the error and the
/// time.
async fn expand_in_turn(versions: &[u64]) -> (Vec<String>, Option<Error<String>>, Duration) {
    let at = AtomicUsize::new(0);
    let next = || versions[at.fetch_add(1, Ordering::Relaxed).min(versions.len() - 1)];
    let source = Scripted(|ids: &[TermId]| answer(next(), ids, |_| true), || Ok(next()));
    let started = tokio::time::Instant::now();
    let input = stream::iter([1, 2, 3].map(|id| plain([id])));
    let (expanded, error, _) = outcome(&source, input, in_turn()).await;
    let names = expanded.iter().flat_map(|expanded| &expanded.names);
    (names.map(ToString::to_string).collect(), error, started.elapsed())
}

#[tokio::test(start_paused = true)]
async fn an_older_answer_is_asked_for_again_and_ends_the_expansion_after_seconds() {
    let (names, error, _) = expand_in_turn(&[5, 4, 4, 4, 5, 6]).await;
    assert_eq!(names, ["1 v5", "2 v5", "3 v6"]);
    assert!(error.is_none());
    let (names, error, took) = expand_in_turn(&[5, 4]).await;
    assert_eq!(names, ["1 v5"]);
    let is_behind = matches!(error, Some(Error::Lagging { seen: 5, answered: 4 }));
    assert!(is_behind, "{error:?}");
    // Longer than a process of the lookup may serve a replaced version, and bounded.
    assert!((ms(3_000)..ms(5_000)).contains(&took), "{took:?}");
}

/// The id 900 is known from version 2 on, which comes after the answer that lacks it and before that to the question for the version.
#[tokio::test(start_paused = true)]
async fn an_answer_without_names_is_not_taken_for_one_of_a_version_that_came_after_it() {
    let version = AtomicU64::new(1);
    let names = |ids: &[TermId]| {
        let version = version.load(Ordering::Relaxed);
        answer(version, ids, |id| id != 900 || version == 2)
    };
    let overtake = || {
        version.store(2, Ordering::Relaxed);
        Ok(2)
    };
    let source = Scripted(names, overtake);
    let input = stream::iter([plain([1]), plain([900])]);
    let (expanded, ..) = outcome(&source, input, in_turn()).await;
    let versions = [expanded[0].version, expanded[1].version];
    assert_eq!(versions, [Some(1), Some(2)]);
    assert_eq!(expanded[1].unknown.len(), 0);
    assert_eq!(&*expanded[1].names[0], "900 v2");
}
