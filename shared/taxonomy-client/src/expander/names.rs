//! The names of the current version, in a cache that is bounded in bytes.

use std::collections::HashMap;
use std::sync::Arc;

use lru::LruCache;
use taxonomy_keys::TermId;

/// The bytes of an entry besides its list and its texts.
const ENTRY: usize = 96;
/// The bytes of a text besides its own: the counters of the `Arc` and an entry of the map at its usual load.
const TEXT: usize = 16 + 48;

/// The names of a term; `None` for an unknown id.
pub(super) type KnownNames = Option<Arc<[Arc<str>]>>;

/// The least recently used names leave first. A text is stored once: a category of many terms has few ancestors.
#[derive(Debug)]
pub(super) struct NameCache {
    known: LruCache<TermId, KnownNames>,
    /// Each text, with the number of lists that have it.
    texts: HashMap<Arc<str>, u32>,
    bytes: usize,
    limit: usize,
}

impl NameCache {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            known: LruCache::unbounded(),
            texts: HashMap::new(),
            bytes: 0,
            limit,
        }
    }

    pub(super) fn get(&mut self, id: TermId) -> Option<KnownNames> {
        self.known.get(&id).cloned()
    }

    /// Stores the names of an id that has none here, and returns them. The cache may exceed its limit until [`evict`](Self::evict).
    pub(super) fn put(&mut self, id: TermId, names: Option<Vec<String>>) -> KnownNames {
        let names: KnownNames = names.map(|names| names.into_iter().map(|name| self.text(name)).collect());
        self.bytes += cost(&names);
        self.known.put(id, names.clone());
        names
    }

    fn text(&mut self, text: String) -> Arc<str> {
        let (stored, uses) = match self.texts.get_key_value(text.as_str()) {
            Some((stored, uses)) => (Arc::clone(stored), *uses),
            None => {
                self.bytes += text.len() + TEXT;
                (text.into(), 0)
            }
        };
        self.texts.insert(Arc::clone(&stored), uses + 1);
        stored
    }

    /// Drops names until the cache is within its limit.
    pub(super) fn evict(&mut self) {
        while self.bytes > self.limit
            && let Some((_, names)) = self.known.pop_lru()
        {
            self.bytes -= cost(&names);
            for text in names.iter().flat_map(|names| names.iter()) {
                match self.texts.get_mut(text) {
                    Some(uses) if *uses > 1 => *uses -= 1,
                    _ => {
                        self.texts.remove(text);
                        self.bytes -= text.len() + TEXT;
                    }
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::new(self.limit);
    }
}

fn cost(names: &KnownNames) -> usize {
    let list = |names: &Arc<[Arc<str>]>| 16 + names.len() * size_of::<Arc<str>>();
    ENTRY + names.as_ref().map_or(0, list)
}
