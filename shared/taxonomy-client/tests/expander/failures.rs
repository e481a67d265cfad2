//! Errors of the source.

use std::time::Duration;

use futures_util::stream;
use taxonomy_client::expander::{Answer, Error, Expander, ExpanderSettings, Metric, Source};
use taxonomy_keys::TermId;

use crate::world::{Step, World, id, metric, run, terms};

#[tokio::test(start_paused = true)]
async fn an_error_comes_after_every_metric_before_it() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut ids = || {
            (0..random.usize(0..5))
                .map(|_| random.u64(1..5_000))
                .collect::<Vec<_>>()
        };
        let mut lists: Vec<Vec<u64>> = (0..3_000).map(|_| ids()).collect();
        let place = random.usize(0..3_000);
        lists[place].push(9_999);
        let steps: Vec<Step> = lists.iter().cloned().map(metric).collect();
        let mut world = World::new(seed, terms(5_000, 1));
        world.broken = Some(9_999);
        let run = run(&world, &steps, ExpanderSettings::default(), Duration::ZERO).await;
        assert!(matches!(run.error, Some(Error::Source(_))), "seed {seed}");
        // Other ids of the same batch belong to earlier metrics.
        let batch = world
            .asked()
            .into_iter()
            .find(|batch| batch.contains(&9_999))
            .unwrap();
        let first = lists
            .iter()
            .position(|ids| ids.iter().any(|id| batch.contains(id)))
            .unwrap();
        assert_eq!(run.metrics.len(), first, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_that_fails_ends_the_expansion() {
    struct Unchecked;
    impl Source for Unchecked {
        type Error = &'static str;
        async fn names(&self, ids: &[TermId]) -> Result<Answer, Self::Error> {
            Ok(Answer {
                version: Some(1),
                terms: vec![None; ids.len()],
            })
        }
        async fn version(&self) -> Result<u64, Self::Error> {
            Err("no version")
        }
    }
    let metric = |_| Metric {
        value: (),
        ids: vec![id(1)],
        bytes: 1,
    };
    let slow = stream::unfold(0, |at| async move {
        tokio::time::sleep(Duration::from_secs(at)).await;
        (at < 20).then_some((at, at + 1))
    });
    let input = Box::pin(futures_util::StreamExt::map(slow, metric));
    let mut expander = Expander::new(&Unchecked, input, ExpanderSettings::default());
    let mut returned = 0;
    let error = loop {
        match expander.next().await.unwrap() {
            Ok(_) => returned += 1,
            Err(error) => break error,
        }
    };
    // Read at 0, 1 and 3 s; the one of 6 s is older than five seconds.
    assert_eq!(returned, 3);
    assert!(matches!(error, Error::Source("no version")));
}

async fn error_of(answer: Answer) -> Error<String> {
    struct Fixed(Answer);
    impl Source for Fixed {
        type Error = String;
        async fn names(&self, _: &[TermId]) -> Result<Answer, String> {
            Ok(self.0.clone())
        }
        async fn version(&self) -> Result<u64, String> {
            Ok(1)
        }
    }
    let source = Fixed(answer);
    let input = stream::iter([Metric {
        value: (),
        ids: vec![id(1), id(2)],
        bytes: 1,
    }]);
    let mut expander = Expander::new(&source, input, ExpanderSettings::default());
    expander.next().await.unwrap().unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_the_contract_is_an_error() {
    let short = Answer {
        version: Some(1),
        terms: vec![None],
    };
    assert!(matches!(
        error_of(short).await,
        Error::Incomplete {
            asked: 2,
            answered: 1
        }
    ));
    let unversioned = Answer {
        version: None,
        terms: vec![None, Some(vec!["A:B".to_owned()])],
    };
    assert!(matches!(error_of(unversioned).await, Error::Unversioned));
}
