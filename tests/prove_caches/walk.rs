//! A walk: uploads, projectors that are held, die and are overtaken, processes of the lookup that are asked meanwhile, each of their
//! requests at a gate; which of them goes on, what arrives where and how late it is, the seed says.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fastrand::Rng;
use lookup::{Answer, Lookup};
use serde_json::Value;
use taxonomy_protocol::Deadline;
use taxonomy_testkit::Fault;
use taxonomy_testkit::dynamodb::Lag;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_tests::world::RETRIES;
use tokio::task::{JoinHandle, LocalSet, spawn_local, yield_now};

use crate::files::{Draft, FURTHER, MARKER};
use crate::judge::{Asked, Judge};
use crate::model::Question;
use crate::second::Second;
use crate::stand::{Stand, get};

const STEPS: usize = 600;
const PROCESSES: usize = 3;
const BYTES: u64 = 1 << 20;
/// So many yields in which nothing reaches the gate and nobody ends: all wait.
const QUIET: usize = 6;

/// What a walk has seen.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) answers: u64,
    pub(crate) tagged: u64,
    pub(crate) unchanged: u64,
    /// 503 for a version whose index file could not be built.
    pub(crate) unready: u64,
    pub(crate) versions: u64,
}

struct Walk {
    rng: Rng,
    stand: Stand,
    lookups: Vec<Rc<Lookup>>,
    second: Second,
    judge: Judge,
    drafts: BTreeMap<&'static str, Draft>,
    /// The last tag that was given for a URL.
    tags: BTreeMap<String, String>,
    cursors: Vec<(&'static str, u64, String)>,
    asked: BTreeMap<u64, Asked>,
    answered: Rc<RefCell<Vec<(u64, Answer)>>>,
    projectors: BTreeMap<String, (JoinHandle<()>, Value)>,
    ended: Rc<RefCell<Vec<(String, bool)>>>,
    again: Vec<Value>,
    number: u64,
}

/// Walks by this seed, or says what is wrong.
pub(crate) async fn walk(seed: u64, second: Second) -> Result<Seen, String> {
    fastrand::seed(seed);
    let local = LocalSet::new();
    let walk = local.run_until(Box::pin(async {
        let mut walk = Walk::new(seed, second);
        let outcome = walk.go().await;
        walk.stand.wire.open_gate();
        outcome.map(|()| walk.seen())
    }));
    walk.await.map_err(|wrong| format!("seed {seed}: {wrong}"))
}

impl Walk {
    fn new(seed: u64, second: Second) -> Self {
        let mut rng = Rng::with_seed(seed);
        let tenants: &[&'static str] = if rng.u8(0..4) == 0 {
            &[ACME, GLOBEX]
        } else {
            &[ACME]
        };
        let mut stand = Stand::new(tenants);
        stand.with_files = seed.is_multiple_of(2);
        let lag = [Lag::Nothing, Lag::Index, Lag::Everything, Lag::Everything][rng.usize(0..4)];
        if lag != Lag::Nothing {
            stand.db.lag(lag);
            stand.lags = true;
        }
        let lookups = (0..PROCESSES).map(|number| {
            let skew = if rng.bool() { 0 } else { rng.i64(-1_000..=1_000) };
            let clock = Arc::new(stand.clock(skew));
            // One in three has a memory of its own alone.
            let tier = if number == 2 { None } else { second.tier(clock) };
            Rc::new(stand.lookup(&format!("lookup-{number}"), skew, BYTES, tier))
        });
        let lookups = lookups.collect();
        let drafts = tenants.iter().map(|tenant| (*tenant, Draft::first(&mut rng)));
        let drafts = drafts.collect();
        stand.wire.close_gate();
        Self {
            rng,
            stand,
            lookups,
            second,
            judge: Judge::default(),
            drafts,
            tags: BTreeMap::new(),
            cursors: Vec::new(),
            asked: BTreeMap::new(),
            answered: Rc::default(),
            projectors: BTreeMap::new(),
            ended: Rc::default(),
            again: Vec::new(),
            number: 0,
        }
    }

    fn seen(&self) -> Seen {
        let Judge {
            answers,
            tagged,
            unchanged,
            unready,
            ..
        } = self.judge;
        let versions = self.stand.histories.values();
        Seen {
            answers,
            tagged,
            unchanged,
            unready,
            versions: versions.map(|history| history.published.len() as u64).sum(),
        }
    }

    async fn go(&mut self) -> Result<(), String> {
        for _ in 0..STEPS {
            self.step().await?;
        }
        // Nobody is left without an answer.
        while !(self.asked.is_empty() && self.projectors.is_empty()) {
            self.release(|_| true);
            self.rest().await?;
        }
        Ok(())
    }

    async fn step(&mut self) -> Result<(), String> {
        match self.rng.u16(0..1000) {
            0..20 => self.upload(),
            20..45 => self.repeat(),
            45..50 => self.crash(),
            50..120 => {
                let writes = [1, 3, 10, 50][self.rng.usize(0..4)];
                self.stand.replicate(&mut self.rng, writes);
            }
            120..170 => self.pass(),
            170..200 => self.second.something(&mut self.rng, &self.stand).await,
            200..420 if self.asked.len() < 4 => self.ask(),
            420..650 => self.release(|actor| actor.starts_with("lookup")),
            _ => self.release(|_| true),
        }
        self.rest().await
    }

    /// Lets everybody run until all wait, and judges what was answered.
    async fn rest(&mut self) -> Result<(), String> {
        let (mut quiet, mut before) = (0, (usize::MAX, usize::MAX));
        while quiet < QUIET {
            yield_now().await;
            let now = (
                self.stand.wire.pending().len(),
                self.answered.borrow().len() + self.ended.borrow().len(),
            );
            quiet = if now == before { quiet + 1 } else { 0 };
            before = now;
        }
        let held = self.stand.wire.pending().len();
        if held == 0
            && self.answered.borrow().is_empty()
            && !(self.asked.is_empty() && self.projectors.is_empty())
        {
            // Somebody waits for a time, or for the second tier.
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let ended = self.ended.take();
        for (actor, done) in ended {
            let (_, event) = self.projectors.remove(&actor).unwrap();
            if !done {
                self.again.push(event);
            }
        }
        let answered = self.answered.take();
        for (number, answer) in answered {
            let asked = self.asked.remove(&number).unwrap();
            let history = &self.stand.histories[asked.tenant];
            self.judge.judge(history, &asked, &answer)?;
            self.learn(&asked, &answer);
        }
        Ok(())
    }

    fn learn(&mut self, asked: &Asked, answer: &Answer) {
        if let Some(tag) = answer.headers.get("etag") {
            let url = format!("{}?{}", asked.path(), asked.query());
            self.tags.insert(url, tag.clone());
        }
        if matches!(asked.question, Question::Categories(..)) && answer.status_code == 200 {
            let body: Value = serde_json::from_str(&answer.body).unwrap();
            let last = body["items"].as_array().and_then(|items| items.last());
            if let (Some(cursor), Some(last)) = (body["nextCursor"].as_str(), last) {
                let after = last["id"].as_u64().unwrap();
                self.cursors.push((asked.tenant, after, cursor.to_owned()));
            }
        }
    }

    fn release(&mut self, whose: impl Fn(&str) -> bool) {
        let pending = self.stand.wire.pending();
        let of_those = pending.iter().filter(|request| whose(&request.actor));
        if let Some(request) = self.rng.choice(of_those.collect::<Vec<_>>()) {
            self.stand.wire.release(request.id, None);
            self.stand.observe();
        }
    }

    fn pass(&mut self) {
        let calm = self.asked.is_empty();
        let ms = match self.rng.u8(0..10) {
            0..=3 => self.rng.u64(0..200),
            4 | 5 => self.rng.u64(200..1_500),
            6 => [1_999, 2_000, 2_001][self.rng.usize(0..3)],
            7 if calm => self.rng.u64(2_000..30_000),
            8 | 9 if calm => self.rng.u64(58_000..180_000),
            _ => self.rng.u64(0..1_500),
        };
        self.stand.pass(ms);
    }

    fn upload(&mut self) {
        if self.projectors.len() >= 2 {
            return;
        }
        let tenant = *self.rng.choice(self.drafts.keys()).unwrap();
        let draft = self.drafts.get_mut(tenant).unwrap();
        draft.change(&mut self.rng);
        let event = self.stand.upload(tenant, draft);
        self.start(event);
    }

    /// What failed, died or ran out of time comes again.
    fn repeat(&mut self) {
        for message in self.stand.sqs.take(RETRIES) {
            self.again.push(sqs_event(RETRIES, &[message]));
        }
        if self.projectors.len() < 2 && !self.again.is_empty() {
            let event = self.again.swap_remove(self.rng.usize(0..self.again.len()));
            self.start(event);
        }
    }

    fn start(&mut self, event: Value) {
        self.number += 1;
        let actor = format!("projector-{}", self.number);
        let projector = self.stand.projector(&actor);
        let deadline = match self.rng.u8(0..4) {
            0 => self.stand.deadline_in(self.rng.u64(1..2_000)),
            _ => Deadline::NONE,
        };
        let (ended, label, sent) = (self.ended.clone(), actor.clone(), event.clone());
        let handle = spawn_local(Box::pin(async move {
            let done = projector.handle(sent, deadline).await;
            let done = done.is_ok_and(|response| response.batch_item_failures.is_empty());
            ended.borrow_mut().push((label, done));
        }));
        self.projectors.insert(actor, (handle, event));
    }

    /// A projector dies; what it had sent arrives, late or never.
    fn crash(&mut self) {
        let Some(actor) = self.rng.choice(self.projectors.keys()).cloned() else {
            return;
        };
        let (handle, event) = self.projectors.remove(&actor).unwrap();
        handle.abort();
        self.again.push(event);
        for request in self
            .stand
            .wire
            .pending()
            .iter()
            .filter(|request| request.actor == actor)
        {
            if self.rng.bool() {
                self.stand.wire.release(request.id, Some(Fault::DropBeforeSend));
            }
        }
    }

    fn ask(&mut self) {
        let rng = &mut self.rng;
        let tenant = *rng.choice(self.drafts.keys()).unwrap();
        let id = |rng: &mut Rng| if rng.u8(0..6) == 0 { MARKER } else { rng.u64(1..=9) };
        let question = match rng.u8(0..14) {
            0 => Question::Head,
            1..=4 => Question::Term(id(rng)),
            5..=7 => Question::Terms((0..rng.usize(1..=4)).map(|_| id(rng)).collect()),
            8 | 9 => Question::Category(rng.u64(1..=5)),
            _ => {
                let cursors = self.cursors.iter().filter(|(of, ..)| *of == tenant);
                let after = rng
                    .choice(cursors.collect::<Vec<_>>())
                    .filter(|_| rng.u8(0..3) == 0);
                let after = after.map(|(_, after, cursor)| (*after, cursor.clone()));
                Question::Categories([1, 2, 3, 50][rng.usize(0..4)], after)
            }
        };
        let has_culture = !matches!(question, Question::Head) && rng.u8(0..3) == 0;
        let culture = has_culture.then(|| FURTHER[rng.usize(0..2)]);
        let mut asked = Asked {
            tenant,
            question,
            culture,
            if_none_match: None,
            began: self.stand.now(),
        };
        let known = self.tags.get(&format!("{}?{}", asked.path(), asked.query()));
        asked.if_none_match = known.filter(|_| self.rng.u8(0..3) == 0).cloned();
        let event = get(&asked.path(), &asked.query(), asked.if_none_match.as_deref());
        let lookup = self.lookups[self.rng.usize(0..self.lookups.len())].clone();
        self.number += 1;
        let (number, answered) = (self.number, self.answered.clone());
        spawn_local(Box::pin(async move {
            let answer = lookup.answer(&event).await;
            answered.borrow_mut().push((number, answer));
        }));
        self.asked.insert(number, asked);
    }
}
