//! Random walks: versions are committed and projected in steps, replicas lag, several processes and a second tier answer. An answer is exactly
//! that of its version, and none is older than the rules allow.

use lookup::Lookup;
use taxonomy_testkit::dynamodb::Lag;
use taxonomy_testkit::fixtures::NEW_YEAR_MS;

use super::tier::Tier;
use super::world::{Answered, World, file};

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
    let processes = [(); 3].map(|()| world.process_with(tier.clone()));
    let mut now = NEW_YEAR_MS;
    let (mut committed, mut written, mut settled) = (0, false, 0);
    // When each version was committed.
    let mut since = Vec::new();
    world.stack.db.lag(if random.bool() {
        Lag::Everything
    } else {
        Lag::Index
    });
    for _ in 0..80 {
        match random.u64(0..10) {
            0..=1 if settled == committed => {
                committed += 1;
                world.commit(&version(committed)).await;
                since.push(now);
                written = false;
            }
            0..=1 if !written => {
                world.write().await;
                written = true;
            }
            0..=1 => {
                world.settle(now).await;
                settled = committed;
            }
            2 => drop(world.stack.db.advance_replica(random.usize(0..20))),
            3 => {
                // Never more than a minute behind.
                let step = [500, 1_999, 2_000, 30_000, 60_000][random.usize(0..5)];
                if step >= 30_000 {
                    world.stack.db.advance_replica_fully();
                }
                now += step;
                world.stack.set_ms(now);
            }
            _ if committed == 0 => {}
            _ => {
                let process = &processes[random.usize(0..processes.len())];
                let question = random.u64(0..4);
                let Some((answered, name)) = ask(&world, process, question).await else {
                    return Err(format!("seed {seed}: {question} is not found"));
                };
                let due = since.iter().filter(|at| **at + 2_000 <= now).count();
                if name != truth(question, answered) {
                    return Err(format!("seed {seed}: {answered} is said to say {name}"));
                }
                if answered < u64::try_from(due).unwrap() {
                    return Err(format!("seed {seed}: {answered} after {due}"));
                }
            }
        }
    }
    Ok(())
}

async fn ask(world: &World, process: &Lookup, question: u64) -> Answered {
    match question {
        0 => world.term(process, 1).await,
        1 => world.term_in_french(process, 2).await,
        2 => world.category(process, 1).await,
        _ => world.term(process, 2).await,
    }
}

#[tokio::test]
async fn what_is_tagged_is_exactly_what_its_version_says() {
    for seed in 0..SEEDS {
        assert_eq!(walk(seed).await, Ok(()));
    }
}
