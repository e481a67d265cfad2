//! Texts that are stored once: a category of many terms has few ancestors.

use std::collections::HashMap;
use std::sync::Arc;

/// The bytes of a text besides its own: the counters of the `Arc` and an entry of the map at its usual load.
const OVERHEAD: usize = 16 + 48;

/// Texts with the number of their uses.
#[derive(Debug, Default)]
pub(super) struct Texts {
    uses: HashMap<Arc<str>, u32>,
    bytes: usize,
}

impl Texts {
    /// Returns the stored text that equals `text`, for one more use.
    pub(super) fn take(&mut self, text: String) -> Arc<str> {
        if let Some((stored, _)) = self.uses.get_key_value(text.as_str()) {
            let stored = Arc::clone(stored);
            self.uses.entry(Arc::clone(&stored)).and_modify(|uses| *uses += 1);
            return stored;
        }
        let stored: Arc<str> = text.into();
        self.bytes += cost(&stored);
        self.uses.insert(Arc::clone(&stored), 1);
        stored
    }

    /// Ends one use, and forgets the text after its last one.
    pub(super) fn release(&mut self, text: &Arc<str>) {
        let Some(uses) = self.uses.get_mut(text) else {
            return;
        };
        *uses -= 1;
        if *uses == 0 {
            self.uses.remove(text);
            self.bytes -= cost(text);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn cost(text: &str) -> usize {
    text.len().next_multiple_of(8) + OVERHEAD
}
