//! The names of the current version: a cache, bounded in bytes, that keeps what metrics in flight need.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use taxonomy_keys::TermId;

use super::texts::Texts;

/// The bytes of an entry besides its list: an entry of the map at its usual load, and one of the order.
const OVERHEAD: usize = 80 + 16;

/// The names of a term; `None` for an unknown id.
pub(super) type Known = Option<Arc<[Arc<str>]>>;

/// The knowledge of an id.
#[derive(Debug)]
enum State {
    Queued,
    Asked,
    Known(Known),
}

#[derive(Debug)]
struct Slot {
    state: State,
    /// The number of metrics in flight that name the id. An id that none names is always known.
    pins: u32,
    /// Named since the eviction passed it last.
    was_used: bool,
}

/// Ids and their states.
#[derive(Debug)]
pub(super) struct Names {
    slots: HashMap<TermId, Slot>,
    /// The known ids, each once, in the order of eviction (CLOCK).
    order: VecDeque<TermId>,
    texts: Texts,
    /// The bytes of known ids, without texts.
    bytes: usize,
    /// The number of known ids without a pin.
    evictable: usize,
    limit: usize,
}

impl Names {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            slots: HashMap::new(),
            order: VecDeque::new(),
            texts: Texts::default(),
            bytes: 0,
            evictable: 0,
            limit,
        }
    }

    /// Notes that a metric names the id. Returns true where the id is to be queued.
    pub(super) fn pin(&mut self, id: TermId) -> bool {
        let mut is_new = false;
        let slot = self.slots.entry(id).or_insert_with(|| {
            is_new = true;
            Slot {
                state: State::Queued,
                pins: 0,
                was_used: false,
            }
        });
        if slot.pins == 0 && !is_new {
            self.evictable -= 1;
        }
        slot.was_used = !is_new;
        slot.pins += 1;
        is_new
    }

    /// Notes that a metric that names the id is no longer in flight.
    pub(super) fn unpin(&mut self, id: TermId) {
        let Some(slot) = self.slots.get_mut(&id) else {
            return;
        };
        slot.pins -= 1;
        if slot.pins > 0 {
            return;
        }
        if matches!(slot.state, State::Known(_)) {
            self.evictable += 1;
        } else {
            self.slots.remove(&id);
        }
    }

    pub(super) fn known(&self, id: TermId) -> Option<&Known> {
        match &self.slots.get(&id)?.state {
            State::Known(known) => Some(known),
            State::Queued | State::Asked => None,
        }
    }

    pub(super) fn is_queued(&self, id: TermId) -> bool {
        self.slots
            .get(&id)
            .is_some_and(|slot| matches!(slot.state, State::Queued))
    }

    pub(super) fn mark_asked(&mut self, id: TermId) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.state = State::Asked;
        }
    }

    /// Stores the result for a requested id.
    pub(super) fn fill(&mut self, id: TermId, names: Option<Vec<String>>) {
        let Some(slot) = self
            .slots
            .get_mut(&id)
            .filter(|slot| matches!(slot.state, State::Asked))
        else {
            return;
        };
        let known: Known = names.map(|names| names.into_iter().map(|name| self.texts.take(name)).collect());
        self.bytes += cost(&known);
        slot.state = State::Known(known);
        self.order.push_back(id);
    }

    /// Forgets the names of pinned ids for which `forgets` holds: they are to be queued again.
    pub(super) fn forget_pinned(&mut self, forgets: impl Fn(TermId) -> bool) {
        let Self {
            slots,
            order,
            texts,
            bytes,
            ..
        } = self;
        order.retain(|id| {
            let Some(slot) = slots.get_mut(id).filter(|slot| slot.pins > 0 && forgets(*id)) else {
                return true;
            };
            if let State::Known(known) = std::mem::replace(&mut slot.state, State::Queued) {
                *bytes -= cost(&known);
                release(texts, &known);
            }
            false
        });
    }

    /// Forgets everything known: what metrics in flight need is to be queued again.
    pub(super) fn forget(&mut self) {
        self.slots.retain(|_, slot| {
            if matches!(slot.state, State::Known(_)) {
                slot.state = State::Queued;
            }
            slot.pins > 0
        });
        self.order.clear();
        self.texts.clear();
        self.bytes = 0;
        self.evictable = 0;
    }

    /// Returns the bytes of everything known.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.texts.bytes()
    }

    /// Returns whether the names of metrics in flight alone exceed the limit.
    pub(super) fn is_full(&self) -> bool {
        self.evictable == 0 && self.bytes() > self.limit
    }

    /// Above the limit, evicts the least recently used names until a sixteenth of the limit is free.
    pub(super) fn evict(&mut self) {
        if self.bytes() <= self.limit {
            return;
        }
        // In two rounds an id loses its mark and is evicted, unless it is pinned.
        for _ in 0..self.order.len() * 2 {
            if self.evictable == 0 || self.bytes() <= self.limit - self.limit / 16 {
                return;
            }
            let Some(id) = self.order.pop_front() else {
                return;
            };
            if !self.evict_one(id) {
                self.order.push_back(id);
            }
        }
    }

    fn evict_one(&mut self, id: TermId) -> bool {
        let Some(slot) = self.slots.get_mut(&id) else {
            return true;
        };
        if slot.pins > 0 || std::mem::take(&mut slot.was_used) {
            return false;
        }
        if let Some(Slot {
            state: State::Known(known),
            ..
        }) = self.slots.remove(&id)
        {
            self.evictable -= 1;
            self.bytes -= cost(&known);
            release(&mut self.texts, &known);
        }
        true
    }
}

fn release(texts: &mut Texts, known: &Known) {
    for text in known.iter().flat_map(|names| names.iter()) {
        texts.release(text);
    }
}

fn cost(known: &Known) -> usize {
    let list = known
        .as_ref()
        .map_or(0, |names| 16 + names.len() * size_of::<Arc<str>>());
    OVERHEAD + list
}
