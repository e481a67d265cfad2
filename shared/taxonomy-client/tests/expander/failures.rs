//! Errors of the source.

use std::time::Duration;

use futures_util::stream;
use taxonomy_client::expander::{Answer, Error};

use crate::world::{Scripted, Step, World, expand, metric, outcome, plain, terms};

#[tokio::test(start_paused = true)]
async fn an_error_comes_after_every_metric_before_it() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut ids = || -> Vec<u64> { (0..random.usize(0..5)).map(|_| random.u64(1..5_000)).collect() };
        let mut lists: Vec<Vec<u64>> = (0..3_000).map(|_| ids()).collect();
        let place = random.usize(0..3_000);
        lists[place].push(9_999);
        let steps: Vec<Step> = lists.iter().cloned().map(metric).collect();
        let mut world = World::new(seed, terms(5_000, 1));
        world.broken = Some(9_999);
        let run = expand(&world, &steps).await;
        assert!(matches!(run.error, Some(Error::Source(_))), "seed {seed}");
        // Other ids of the same batch belong to earlier metrics.
        let mut batches = world.watched().asked.into_iter();
        let batch = batches.find(|batch| batch.contains(&9_999)).unwrap();
        let is_in_it = |ids: &Vec<u64>| ids.iter().any(|id| batch.contains(id));
        let first = lists.iter().position(is_in_it).unwrap();
        assert_eq!(run.metrics.len(), first, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_that_fails_ends_the_expansion() {
    let unknown = |ids: &[_]| Answer {
        version: Some(1),
        terms: vec![None; ids.len()],
    };
    let source = Scripted(unknown, || Err("no version".to_owned()));
    let slow = stream::unfold(0, |at| async move {
        tokio::time::sleep(Duration::from_secs(at)).await;
        (at < 20).then_some((plain([1]), at + 1))
    });
    let (returned, error, _) = outcome(&source, Box::pin(slow), Default::default()).await;
    // Read at 0, 1 and 3 s; the one of 6 s is older than five seconds.
    assert_eq!(returned.len(), 3);
    assert!(matches!(error, Some(Error::Source(text)) if text == "no version"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_the_contract_is_an_error() {
    let error_of = async |version: Option<u64>, terms: Vec<Option<Vec<String>>>| {
        let answer = Answer { version, terms };
        let source = Scripted(|_: &[_]| answer.clone(), || Ok(1));
        let input = stream::iter([plain([1, 2])]);
        outcome(&source, input, Default::default()).await.1
    };
    let short = error_of(Some(1), vec![None]).await;
    let is_short =
        matches!(short, Some(Error::Incomplete { asked, answered }) if (asked, answered) == (2, 1));
    assert!(is_short, "{short:?}");
    let unversioned = error_of(None, vec![None, Some(vec!["A:B".to_owned()])]).await;
    assert!(matches!(unversioned, Some(Error::Unversioned)), "{unversioned:?}");
}
