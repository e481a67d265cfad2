//! Many walks.

use std::sync::Mutex;

use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{everything, seeds, spread};

use crate::proof::Part;
use crate::second::Second;
use crate::walk::{Seen, walk};

fn add(total: &mut Seen, seen: Seen) {
    total.answers += seen.answers;
    total.tagged += seen.tagged;
    total.unchanged += seen.unchanged;
    total.unready += seen.unready;
    total.versions += seen.versions;
}

fn told(walks: usize, what: &str, seen: Seen, wrong: usize) -> String {
    let [walks, answers, tagged, unchanged, unready, versions, wrong] = [
        walks as u64,
        seen.answers,
        seen.tagged,
        seen.unchanged,
        seen.unready,
        seen.versions,
        wrong as u64,
    ]
    .map(thousands);
    format!(
        "{walks} walks{what} over {versions} versions, {answers} answers ({tagged} tagged, {unchanged} 304, {unready} not ready), {wrong} violations"
    )
}

#[test]
fn no_answer_is_older_or_newer_than_it_says() {
    let (seeds, total) = (seeds(12, 2_000), Mutex::new(Seen::default()));
    let wrong = spread(&seeds, async |seed| {
        let seen = walk(*seed, Second::drawn(*seed)).await?;
        add(&mut total.lock().unwrap(), seen);
        Ok(())
    });
    let total = total.into_inner().unwrap();
    Part::Walks.say(&told(seeds.len(), "", total, wrong.len()), &wrong);
}

/// Time is not paused here, since a server's answers would not come in time.
#[test]
fn nor_with_a_real_second_tier() {
    let seeds: Vec<u64> = (10_000..10_000 + if everything() { 40 } else { 2 }).collect();
    let (mut total, mut wrong) = (Seen::default(), Vec::new());
    for seed in &seeds {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime.unwrap().block_on(Box::pin(walk(*seed, Second::valkey()))) {
            Ok(seen) => add(&mut total, seen),
            Err(violation) => wrong.push(violation),
        }
    }
    Part::Valkey.say(&told(seeds.len(), " over Valkey", total, wrong.len()), &wrong);
}

#[test]
fn a_seed_brings_the_same_walk_back() {
    let once = || taxonomy_tests::effort::alone(walk(3, Second::drawn(3)));
    assert_eq!(once(), once());
}
