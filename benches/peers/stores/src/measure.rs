//! The measurement of a store: compared with plain code first, then one client that waits for each answer, then many at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::question::{Answer, Failure, Kind, Question, Way};
use crate::rows::Rows;

/// Answers that are compared with those of plain code.
const COMPARED: usize = 100;
/// Clients at once, each with a connection and a thread of its own.
const CLIENTS: usize = 32;

/// A connection to a store, or the store itself.
pub trait Client {
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Failure>;
    /// Returns the requests and read units of the answers since the last call.
    fn take_cost(&mut self) -> Option<(usize, f64)> {
        None
    }
}

/// The questions, and the taxonomy in both versions.
pub struct Asked {
    pub questions: Vec<Question>,
    pub rows: Rows,
    pub before: Rows,
}

impl Asked {
    fn of(&self, kind: Kind) -> Vec<&Question> {
        self.questions
            .iter()
            .filter(|question| question.kind() == kind)
            .collect()
    }

    fn expected(&self, question: &Question) -> Answer {
        let of = |rows: &Rows, id: u64| rows.lineage(id).map(str::to_owned).collect::<Answer>();
        match question {
            Question::Term(id) => of(&self.rows, *id),
            Question::AsOf(id) => of(&self.before, *id),
            Question::Batch(ids) => ids.iter().flat_map(|id| of(&self.rows, *id)).collect(),
        }
    }
}

/// Measures each way by one client. Everything is asked once before, so that each store has in memory what it keeps there.
pub fn one(
    boundary: &str,
    ways: &[Way],
    client: &mut dyn Client,
    asked: &Asked,
) -> Result<Vec<Value>, Failure> {
    let mut measured = Vec::new();
    for way in ways {
        let questions = asked.of(way.kind);
        for question in &questions {
            client.answer(way, question)?;
        }
        client.take_cost();
        let compared = &questions[..questions.len().min(COMPARED)];
        for question in compared {
            let (found, expected) = (client.answer(way, question)?, asked.expected(question));
            if found != expected {
                return Err(format!(
                    "{} by {}: {question:?} is answered {found:?} and not {expected:?}",
                    way.store, way.name
                )
                .into());
            }
        }
        let cost = client.take_cost().map(|(requests, units)| {
            (
                requests as f64 / compared.len() as f64,
                units / compared.len() as f64,
            )
        });
        let mut micros = Vec::with_capacity(questions.len());
        for question in questions {
            let started = Instant::now();
            std::hint::black_box(client.answer(way, question)?);
            micros.push(started.elapsed().as_secs_f64() * 1e6);
        }
        let mut row =
            json!({"boundary": boundary, "store": way.store, "question": way.kind.name(), "way": way.name});
        row["one"] = quantiles(&mut micros);
        row["requests"] = cost.map(|cost| cost.0).into();
        row["units"] = cost.map(|cost| cost.1).into();
        measured.push(row);
    }
    Ok(measured)
}

/// Adds to each row of [`one`] what many clients see at once, and the answers in a second to all of them.
pub fn many<C: Client>(
    rows: &mut [Value],
    ways: &[Way],
    connect: &(dyn Fn() -> Result<C, Failure> + Sync),
    asked: &Asked,
) -> Result<(), Failure> {
    for (row, way) in rows.iter_mut().zip(ways) {
        let (questions, next) = (asked.of(way.kind), AtomicUsize::new(0));
        let started = Instant::now();
        let client = || -> Result<Vec<f64>, Failure> {
            let (mut client, mut micros) = (connect()?, Vec::new());
            while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
                let started = Instant::now();
                std::hint::black_box(client.answer(way, question)?);
                micros.push(started.elapsed().as_secs_f64() * 1e6);
            }
            Ok(micros)
        };
        let found: Result<Vec<_>, Failure> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| "a client panicked")?)
                .collect()
        });
        let mut micros = found?.concat();
        row["many"] = quantiles(&mut micros);
        row["many"]["a_second"] = (questions.len() as f64 / started.elapsed().as_secs_f64()).into();
    }
    Ok(())
}

fn quantiles(micros: &mut [f64]) -> Value {
    micros.sort_by(f64::total_cmp);
    let at = |percent: usize| micros.get((micros.len().max(1) - 1) * percent / 100).copied();
    json!({"p50": at(50), "p99": at(99)})
}
