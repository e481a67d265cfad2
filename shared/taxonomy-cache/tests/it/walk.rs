//! Random walks: versions are committed and projected in steps, replicas lag, several processes and a second tier answer. An answer
//! of the table is exactly that of its version, and no answer is older than the rules allow.

use taxonomy_cache::CachedReader;
use taxonomy_testkit::dynamodb::Lag;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;

use crate::tier::Tier;
use crate::world::{Answered, World, file};

/// Every other version is without its second category and its French names, and leaves the first category as it was.
fn version(number: u64) -> String {
    let first = format!("v{} sector", number / 2);
    let file = file(&format!("v{number}")).replace(&format!("v{number} sector"), &first);
    if number.is_multiple_of(2) {
        return file;
    }
    let mut file: serde_json::Value = serde_json::from_str(&file).unwrap();
    file["categories"].as_array_mut().unwrap().pop();
    let term = &mut file["categories"][0]["terms"][0];
    term["names"].as_array_mut().unwrap().pop();
    term["children"][0]["names"].as_array_mut().unwrap().pop();
    file.to_string()
}

/// The content of a version.
fn truth(question: u64, number: u64) -> String {
    let (even, half) = (number.is_multiple_of(2), number / 2);
    match question {
        0 => format!("v{number} one"),
        1 if even => format!("v{number} deux"),
        // Without a French name there is no item.
        1 => String::new(),
        2 => format!("v{half} sector"),
        _ => format!("v{number} two"),
    }
}

/// Each takes a quarter of a second.
const SEEDS: u64 = 40;

async fn walk(seed: u64) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let world = World::new();
    let tier = Tier::new();
    let readers = [(); 3].map(|()| world.reader_with(tier.clone()));
    let mut now = NEW_YEAR_MS;
    let (mut committed, mut written, mut settled) = (0, false, 0);
    // When each version was settled.
    let mut since = Vec::new();
    world.db.lag(if random.bool() {
        Lag::Everything
    } else {
        Lag::Index
    });
    for _ in 0..80 {
        match random.u64(0..10) {
            0..=1 if settled == committed => {
                committed += 1;
                world.commit(&version(committed)).await;
                written = false;
            }
            0..=1 if !written => {
                world.write().await;
                written = true;
            }
            0..=1 => {
                world.settle(now).await;
                settled = committed;
                since.push(now);
            }
            2 => drop(world.db.advance_replica(random.usize(0..20))),
            3 => {
                // Never more than a minute behind.
                let step = [500, 1_999, 2_000, 30_000, 60_000][random.usize(0..5)];
                if step >= 30_000 {
                    world.db.advance_replica_fully();
                }
                now += step;
                world.set_ms(now);
            }
            _ if settled == 0 => {}
            _ => {
                let reader = &readers[random.usize(0..readers.len())];
                let question = random.u64(0..4);
                let Answered { answer, firm } = ask(&world, reader, question).await;
                let published = since.iter().filter(|at| **at + 2_000 <= now).count();
                let published = u64::try_from(published).unwrap();
                let (answer, answered) = (answer.unwrap_or_default(), firm.unwrap_or_default());
                if firm.is_some() && answer != truth(question, answered) {
                    return Err(format!("seed {seed}: {answered} is said to say {answer}"));
                }
                if firm.is_some() && answered < published {
                    return Err(format!("seed {seed}: {answered} after {published}"));
                }
            }
        }
    }
    Ok(())
}

async fn ask(world: &World, reader: &CachedReader, question: u64) -> Answered {
    match question {
        0 => world.term(reader, 1).await,
        1 => world.term_in(reader, 2, Some("fr-FR")).await,
        2 => world.category(reader, 1).await,
        _ => world.term(reader, 2).await,
    }
}

#[tokio::test]
async fn what_is_tagged_is_exactly_what_its_version_says() {
    for seed in 0..SEEDS {
        assert_eq!(walk(seed).await, Ok(()));
    }
}
