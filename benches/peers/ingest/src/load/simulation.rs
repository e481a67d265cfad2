//! The simulation: an event for each response and each end of a pause.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::Micros;
use super::pace::{Next, Pace, Tries};
use super::partitions::Partitions;
use super::writes::PlannedWrite;

/// The seed of the pauses.
const SEED: u64 = 27;
/// More invocations than any load here needs.
const MOST_INVOCATIONS: u32 = 1_000;

/// The invocations of the projector.
#[derive(Debug, Clone, Copy)]
pub struct Invocations {
    /// From its start to the first write of the first invocation: reading, parsing, committing.
    pub first_preparation: Micros,
    /// The same of a further one, which reads the snapshot.
    pub next_preparation: Micros,
    /// From the start of an invocation to its last write.
    pub time: Micros,
    /// From a request to its response.
    pub latency: Micros,
    /// Time of the processor for one write.
    pub processor: Micros,
}

/// A completed load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loaded {
    /// From the start of the first invocation to the last response.
    pub time: Micros,
    /// The number of invocations.
    pub invocations: u32,
    /// Successful writes: those that an invocation leaves incomplete are among those that the next one makes, and so are a few that
    /// succeeded behind them.
    pub written: u64,
    /// Throttled requests.
    pub throttled: u64,
    /// Write units.
    pub units: u64,
}

/// Makes all writes on a fresh table. Returns `None` if a thousand invocations do not suffice.
pub fn simulate(writes: &[PlannedWrite], invocations: Invocations) -> Option<Loaded> {
    let mut table = Partitions::fresh();
    let (mut now, mut from) = (0, 0);
    let (mut written, mut throttled) = (0, 0);
    for number in 1..=MOST_INVOCATIONS {
        let preparation = match number {
            1 => invocations.first_preparation,
            _ => invocations.next_preparation,
        };
        let mut run = Run {
            writes,
            invocations,
            table: &mut table,
            pace: Pace::new(SEED + u64::from(number)),
            deadline: now + invocations.time,
            now: now + preparation,
            processor_free: 0,
            next: from,
            open: BTreeMap::new(),
            events: BinaryHeap::new(),
            is_stopped: false,
            written: 0,
            throttled: 0,
        };
        run.run();
        (now, from) = (run.now, run.done());
        written += run.written;
        throttled += run.throttled;
        if from == writes.len() {
            let units = writes.iter().map(|write| u64::from(write.units));
            return Some(Loaded {
                time: now,
                invocations: number,
                written,
                throttled,
                units: units.sum(),
            });
        }
    }
    None
}

/// One invocation.
struct Run<'a> {
    writes: &'a [PlannedWrite],
    invocations: Invocations,
    table: &'a mut Partitions,
    pace: Pace,
    deadline: Micros,
    now: Micros,
    processor_free: Micros,
    next: usize,
    /// The writes that began and are not complete.
    open: BTreeMap<usize, Tries>,
    events: BinaryHeap<Reverse<(Micros, usize, Event)>>,
    is_stopped: bool,
    written: u64,
    throttled: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Send { checks_deadline: bool },
    Succeeded,
    Throttled,
}

impl Run<'_> {
    fn run(&mut self) {
        loop {
            self.begin_writes();
            let Some(Reverse((now, position, event))) = self.events.pop() else {
                return;
            };
            self.now = now;
            match event {
                // The invocation ends: the write stays open, and the next invocation begins with it.
                Event::Send {
                    checks_deadline: true,
                } if now >= self.deadline => self.is_stopped = true,
                Event::Send { .. } => self.send(position),
                Event::Succeeded => {
                    self.written += 1;
                    let tries = self.open.remove(&position).unwrap_or_default();
                    self.pace.succeeded(tries);
                }
                Event::Throttled => self.repeat(position),
            }
        }
    }

    fn begin_writes(&mut self) {
        while !self.is_stopped && self.events.len() < self.pace.allowed() && self.next < self.writes.len() {
            if self.now >= self.deadline {
                self.is_stopped = true;
                return;
            }
            self.open.insert(self.next, self.pace.begin());
            self.send(self.next);
            self.next += 1;
        }
    }

    fn send(&mut self, position: usize) {
        let write = self.writes[position];
        let at = self.now.max(self.processor_free) + self.invocations.processor;
        self.processor_free = at;
        let event = match self.table.has(write.key, write.units, at) {
            true => {
                self.table.take(write.key, write.units, at);
                Event::Succeeded
            }
            false => Event::Throttled,
        };
        self.events
            .push(Reverse((at + self.invocations.latency, position, event)));
    }

    fn repeat(&mut self, position: usize) {
        self.throttled += 1;
        let Some(tries) = self.open.get_mut(&position) else {
            return;
        };
        match self.pace.throttled(tries) {
            Next::Again { pause, by_sdk } => {
                let send = Event::Send {
                    checks_deadline: !by_sdk,
                };
                self.events.push(Reverse((self.now + pause, position, send)));
            }
            Next::GiveUp => self.is_stopped = true,
        }
    }

    /// Returns the number of leading writes that are complete.
    fn done(&self) -> usize {
        self.open.first_key_value().map_or(self.next, |(first, _)| *first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::SECOND;
    use super::*;

    const AT_ONCE: Invocations = Invocations {
        first_preparation: 0,
        next_preparation: 0,
        time: 860 * SECOND,
        latency: 5_000,
        processor: 0,
    };

    /// Writes of one unit, of spread keys or of the key `key`.
    fn writes(count: u64, key: Option<u64>) -> Vec<PlannedWrite> {
        let spread = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let write = |number| PlannedWrite {
            key: key.unwrap_or(spread(number)),
            units: 1,
        };
        (0..count).map(write).collect()
    }

    fn seconds(writes: &[PlannedWrite]) -> f64 {
        simulate(writes, AT_ONCE).unwrap().time as f64 / SECOND as f64
    }

    fn is_near(measured: f64, expected: f64) {
        assert!(
            (expected..expected * 1.08 + 0.1).contains(&measured),
            "{measured} and not {expected}"
        );
    }

    #[test]
    fn few_writes_take_a_round_trip_for_each_32() {
        let loaded = simulate(&writes(100, None), AT_ONCE).unwrap();
        assert_eq!((loaded.time, loaded.throttled), (4 * 5_000, 0));
        assert_eq!((loaded.invocations, loaded.units), (1, 100));
    }

    #[test]
    fn spread_writes_take_four_thousand_a_second() {
        // Of 100,000 the first second's 4,000 are there at once: 96,000 at 4,000 a second.
        is_near(seconds(&writes(100_000, None)), 24.0);
    }

    #[test]
    fn one_partition_takes_a_thousand_a_second() {
        is_near(seconds(&writes(10_000, Some(7))), 9.0);
        is_near(seconds(&writes(50_000, Some(7))), 49.0);
    }

    #[test]
    fn what_an_invocation_leaves_the_next_one_makes() {
        // 1,000,000 writes of one partition: 999 seconds. The first invocation writes for 860 - 60 of them.
        let invocations = Invocations {
            first_preparation: 60 * SECOND,
            next_preparation: 20 * SECOND,
            ..AT_ONCE
        };
        let loaded = simulate(&writes(1_000_000, Some(7)), invocations).unwrap();
        assert_eq!(loaded.invocations, 2);
        assert!((1_000_000..1_000_100).contains(&loaded.written), "{loaded:?}");
        is_near(loaded.time as f64 / SECOND as f64, 60.0 + 999.0 + 20.0);
    }

    #[test]
    fn no_write_is_left_out_between_many_invocations() {
        let short = Invocations {
            time: SECOND / 2,
            ..AT_ONCE
        };
        let loaded = simulate(&writes(50_000, Some(7)), short).unwrap();
        assert!(loaded.invocations > 40, "{loaded:?}");
        assert!((50_000..60_000).contains(&loaded.written), "{loaded:?}");
    }

    #[test]
    fn the_processor_is_a_bound_of_its_own() {
        let slow = Invocations {
            processor: 1_000,
            ..AT_ONCE
        };
        let loaded = simulate(&writes(3_000, None), slow).unwrap();
        assert_eq!(loaded.time, 3_000 * 1_000 + 5_000);
    }
}
