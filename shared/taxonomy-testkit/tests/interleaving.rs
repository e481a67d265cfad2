//! Tests of the runner of seeded interleavings: it is deterministic, applies its faults, and finds a race.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_testkit::dynamodb::{item, key, n, s};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::{Account, EmbeddedDynamoDb, Ending, FaultRates, Interleaving, S3Fake, Transport};

#[derive(Clone)]
struct World {
    transport: Transport,
    db: EmbeddedDynamoDb,
    s3: S3Fake,
}

impl World {
    fn new() -> Self {
        let transport = Transport::new();
        let (db, s3) = (EmbeddedDynamoDb::on(&transport), S3Fake::on(&transport));
        db.create_table(TABLE);
        Self { transport, db, s3 }
    }

    fn count(&self) -> u64 {
        let counter = self
            .db
            .items(TABLE)
            .into_iter()
            .find(|item| item["PK"] == s("counter"));
        counter.map_or(0, |item| item["V"].as_n().unwrap().parse().unwrap())
    }
}

/// Adds one to a counter with a read and a conditional write. Without the condition, two concurrent actors lose one addition.
async fn count_up(world: World, actor: String, is_careful: bool) -> bool {
    let db = world.db.acting_as(&actor).client();
    let s3 = world.s3.acting_as(&actor).client();
    for _ in 0..20 {
        let get = db
            .get_item()
            .table_name(TABLE)
            .set_key(Some(key("counter", "counter")));
        let Ok(read) = get.consistent_read(true).send().await else {
            return false;
        };
        let known = read
            .item
            .map_or(0, |item| item["V"].as_n().unwrap().parse::<u64>().unwrap());
        let put = s3
            .put_object()
            .bucket(SOURCE_BUCKET)
            .key(format!("tries/{actor}/{known}"));
        if put.send().await.is_err() {
            return false;
        }
        let put = db.put_item().table_name(TABLE);
        let counter = item("counter", "counter", [("V", n(known + 1)), ("By", s(&actor))]);
        let mut put = put.set_item(Some(counter));
        if is_careful {
            put = put.condition_expression("attribute_not_exists(PK) OR V = :known");
            put = put.expression_attribute_values(":known", n(known));
        }
        match put.send().await {
            Ok(_) => return true,
            Err(refused) => match refused.into_service_error() {
                refused if refused.is_conditional_check_failed_exception() => {
                    tokio::time::sleep(Duration::from_millis(fastrand::u64(1..50))).await;
                }
                _ => return false,
            },
        }
    }
    false
}

/// Runs three actors, each repeated up to twice after a crash or a failure, and returns the world after them.
async fn counting(seed: u64, fault_rates: FaultRates, is_careful: bool) -> (World, Account<bool>) {
    let world = World::new();
    let run = Interleaving::new(seed).fault_rates(fault_rates).at_once(4);
    let account = run.run(&world.transport, |scenario| {
        for name in ["A", "B", "C"] {
            let world = world.clone();
            scenario.later(move |scenario| {
                let invocation = move |actor: &str| count_up(world.clone(), actor.to_owned(), is_careful);
                scenario.deliver(name, 2, |done| !done, invocation);
            });
        }
    });
    let account = account.await;
    (world, account)
}

#[tokio::test(start_paused = true)]
async fn one_seed_is_one_run_and_another_seed_another() {
    let mut logs = BTreeSet::new();
    for seed in 0..40 {
        let (first, account) = counting(seed, FaultRates::ROUGH, true).await;
        let (second, again) = counting(seed, FaultRates::ROUGH, true).await;
        assert_eq!(account.log, again.log, "seed {seed}");
        assert_eq!(account.endings, again.endings, "seed {seed}");
        assert_eq!(first.db.dump(TABLE), second.db.dump(TABLE), "seed {seed}");
        let sent = |world: &World| world.transport.exchanges().lines();
        assert_eq!(sent(&first), sent(&second), "seed {seed}");
        logs.insert(account.log);
    }
    assert_eq!(logs.len(), 40, "two seeds had the same run");
}

#[tokio::test(start_paused = true)]
async fn seeds_bring_crashes_zombies_lost_answers_and_repetitions() {
    let (mut crashes, mut seen) = (0, String::new());
    let mut zombies_applied = 0;
    for seed in 0..150 {
        let (world, account) = counting(seed, FaultRates::ROUGH, true).await;
        crashes += account.crashes();
        seen.push_str(&account.to_string());
        seen.push('\n');
        let exchanges = world.transport.exchanges().all();
        zombies_applied += exchanges
            .iter()
            .filter(|exchange| exchange.status.is_none() && exchange.fault.is_none())
            .count();
    }
    assert!(crashes > 20, "{crashes} crashes");
    assert!(zombies_applied > 5, "{zombies_applied} zombies");
    for what in [
        "stalls for",
        "abandoned",
        "passes",
        "DropBeforeSend",
        "AnswerLost",
        "ServerErrorAfterApply",
        "Throttle",
        "TransactionConflict",
        "SlowAnswer",
        "crash during",
        "crash after",
        "-> 400 ConditionalCheckFailedException",
        "A.2: starts",
        "C.2: starts",
    ] {
        assert!(seen.contains(what), "never {what}");
    }
}

#[tokio::test(start_paused = true)]
async fn careful_counters_never_lose_one() {
    for seed in 0..150 {
        let (world, account) = counting(seed, FaultRates::ROUGH, true).await;
        let claimed = account
            .endings
            .iter()
            .filter(|(_, end)| *end == Ending::Finished(true))
            .count();
        assert!(world.count() >= claimed as u64, "{account}");
    }
}

/// The negative control: it proves that the runner finds a race.
#[tokio::test(start_paused = true)]
async fn careless_counters_are_caught_without_any_fault_by_the_order_alone() {
    let mut caught = 0;
    for seed in 0..50 {
        let (world, account) = counting(seed, FaultRates::NONE, false).await;
        assert_eq!(account.endings.len(), 3, "{account}");
        caught += usize::from(world.count() < 3);
    }
    assert!(caught > 10, "{caught} of 50");
}

#[tokio::test(start_paused = true)]
async fn a_write_may_arrive_after_its_writer_crashed_and_another_has_finished() {
    let mut late = 0;
    for seed in 0..100 {
        let world = World::new();
        let fault_rates = FaultRates {
            crash: 400,
            lost_zombie: 200,
            ..FaultRates::NONE
        };
        let run = Interleaving::new(seed).fault_rates(fault_rates);
        let account = run.run(&world.transport, |scenario| {
            let world = world.clone();
            scenario.deliver(
                "writer",
                9,
                |_| false,
                move |actor| {
                    let put = world.db.acting_as(actor).client().put_item().table_name(TABLE);
                    let put = put.set_item(Some(item("a", "b", [("By", s(actor))])));
                    async move { put.send().await.unwrap() }
                },
            );
        });
        let account = account.await;
        let Some((last, Ending::Finished(_))) = account.endings.last() else {
            continue;
        };
        late += usize::from(world.db.dump(TABLE) != [format!("a | b | By={last}")]);
    }
    assert!(late > 5, "{late} of 100 were overwritten by the dead");
}

#[tokio::test(start_paused = true)]
async fn a_stall_outlives_the_patience_of_its_sender() {
    let mut repeated = 0;
    for seed in 0..60 {
        let world = World::new();
        let fault_rates = FaultRates {
            stall: 500,
            ..FaultRates::NONE
        };
        let account = Interleaving::new(seed)
            .fault_rates(fault_rates)
            .run(&world.transport, |scenario| {
                let db = world.db.clone();
                scenario.start("impatient", move |actor| {
                    let timeouts = aws_sdk_dynamodb::config::timeout::TimeoutConfig::builder();
                    let timeouts = timeouts.operation_attempt_timeout(Duration::from_secs(3)).build();
                    let config = db.acting_as(actor).config().timeout_config(timeouts).build();
                    let put = aws_sdk_dynamodb::Client::from_conf(config)
                        .put_item()
                        .table_name(TABLE);
                    let put = put.set_item(Some(key("a", "b"))).send();
                    async move { put.await.is_ok() }
                });
            });
        let account = account.await;
        let sent = world.transport.exchanges().count("PutItem");
        repeated += usize::from(sent > 1 && account.finished("impatient") == Some(&true));
    }
    assert!(repeated > 5, "{repeated} of 60");
}

#[tokio::test(start_paused = true)]
async fn stale_reads_come_from_a_replica_that_follows_at_random() {
    let (mut stale, mut fresh) = (0, 0);
    for seed in 0..60 {
        let world = World::new();
        let fault_rates = FaultRates {
            stale_read: 500,
            ..FaultRates::NONE
        };
        let account = Interleaving::new(seed)
            .fault_rates(fault_rates)
            .run(&world.transport, |scenario| {
                scenario.replicate(&world.db);
                let db = world.db.clone();
                scenario.start("reader", move |actor| {
                    let db = db.acting_as(actor).client();
                    async move {
                        let put = db.put_item().table_name(TABLE).set_item(Some(key("a", "b")));
                        put.send().await.unwrap();
                        let get = db.get_item().table_name(TABLE).set_key(Some(key("a", "b")));
                        let consistent = get.clone().consistent_read(true).send().await.unwrap();
                        assert!(consistent.item.is_some());
                        get.send().await.unwrap().item.is_some()
                    }
                });
            });
        let account = account.await;
        match account.finished("reader") {
            Some(true) => fresh += 1,
            _ => stale += 1,
        }
        assert!(
            world.db.behind().is_empty(),
            "at the end the replica has caught up"
        );
    }
    assert!(stale > 5 && fresh > 5, "{stale} stale, {fresh} fresh");
}

#[tokio::test(start_paused = true)]
async fn never_more_actors_than_allowed_run_at_once() {
    let (running, most) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let world = World::new();
    let run = Interleaving::new(1).at_once(2);
    let account = run.run(&world.transport, |scenario| {
        for _ in 0..6 {
            let (world, running, most) = (world.clone(), Rc::clone(&running), Rc::clone(&most));
            scenario.start("A", move |actor| {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                let counting = count_up(world, actor.to_owned(), true);
                async move {
                    let done = counting.await;
                    running.set(running.get() - 1);
                    done
                }
            });
        }
    });
    let account = account.await;
    let mut names: Vec<_> = account.endings.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["A", "A.2", "A.3", "A.4", "A.5", "A.6"]);
    assert_eq!((most.get(), world.count()), (2, 6));
    assert!(world.transport.pending().is_empty());
    world
        .db
        .client()
        .get_item()
        .table_name(TABLE)
        .set_key(Some(key("a", "b")))
        .send()
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "seed 7, step 1: the table is no longer empty")]
async fn an_invariant_that_fails_stops_the_run_and_names_the_seed() {
    let world = World::new();
    let run = Interleaving::new(7).run(&world.transport, |scenario| {
        let db = world.db.clone();
        scenario.always(move || match db.items(TABLE).len() {
            0 => Ok(()),
            _ => Err("the table is no longer empty".to_owned()),
        });
        let db = world.db.clone();
        scenario.start("A", move |actor| {
            let put = db.acting_as(actor).client().put_item().table_name(TABLE);
            let put = put
                .set_item(Some(item("a", "b", [("X", AttributeValue::Bool(true))])))
                .send();
            async move { put.await.is_ok() }
        });
    });
    run.await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "seed 3: no end after 50 steps")]
async fn a_run_without_end_is_stopped() {
    let world = World::new();
    let run = Interleaving::new(3)
        .most_steps(50)
        .run(&world.transport, |scenario| {
            let db = world.db.clone();
            scenario.start("A", move |actor| {
                let db = db.acting_as(actor).client();
                async move {
                    loop {
                        let get = db.get_item().table_name(TABLE).set_key(Some(key("a", "b")));
                        get.send().await.unwrap();
                    }
                }
            });
        });
    let _: Account<()> = run.await;
}

/// A process that serves two requests at once, over one client, at rates at which every request of an actor fails.
#[tokio::test(start_paused = true)]
async fn the_requests_of_a_serving_process_meet_no_fault() {
    let faults = FaultRates {
        crash: 500,
        throttle: 500,
        ..FaultRates::NONE
    };
    for seed in 0..20 {
        let world = World::new();
        let server = world.db.acting_as("server").client();
        let run = Interleaving::new(seed).fault_rates(faults);
        let account = run.run(&world.transport, |scenario| {
            for _ in 0..2 {
                let server = server.clone();
                scenario.request("server", move || async move {
                    let get = server.get_item().table_name(TABLE);
                    get.set_key(Some(key("a", "b"))).send().await.is_ok()
                });
            }
        });
        let account = account.await;
        assert_eq!(account.finished("server"), Some(&true), "{account}");
        assert_eq!(account.finished("server.2"), Some(&true), "{account}");
    }
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "seed 3: nothing moves any more")]
async fn actors_that_wait_for_nothing_are_found() {
    let run = Interleaving::new(3);
    run.run(&Transport::new(), |scenario| {
        scenario.start("A", |_| std::future::pending::<()>());
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn actors_that_send_nothing_make_room_for_the_next() {
    let transport = Transport::new();
    let run = Interleaving::new(3).at_once(1).run(&transport, |scenario| {
        for name in ["A", "B", "C"] {
            scenario.start(name, |_| std::future::ready(()));
        }
    });
    assert_eq!(run.await.endings.len(), 3);
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "DynamoDB.GetItem taxonomy a b comes from a client without an actor")]
async fn a_client_without_an_actor_is_refused() {
    let world = World::new();
    let run = Interleaving::new(3).run(&world.transport, |scenario| {
        let get = world
            .db
            .client()
            .get_item()
            .table_name(TABLE)
            .set_key(Some(key("a", "b")));
        scenario.start("A", move |_| async move { get.send().await.is_ok() });
    });
    run.await;
}
