//! What may be remembered of the projection, and for how long: docs/decisions/0010-caches.md, rule by rule.
//!
//! [`CachedReader`] stands before the reader of the access patterns. A request asks it for a [`View`] of its tenant first, and then
//! asks its questions of that view; where an answer comes from, nobody sees. The view knows whether everything that came through it
//! was exactly what its version says, and only then has a [`View::tag`].
//!
//! | Room | What is in it |
//! |---|---|
//! | `view` | [`View`], [`ViewKey`]: which version a request looks at, and what entries belong to |
//! | `heads` | the heads of tenants, each read at most once in two seconds |
//! | `reader` | [`CachedReader`]: the questions, and how an entry is filled |
//! | `between_defaults` | terms in a culture while the default culture changes |
//! | `entry`, `answer` | what is kept: its names, its values, how many bytes it takes |
//! | `form` | entries as the second tier keeps them |
//! | `second_tier` | [`SecondTier`]: the port to a cache that processes share |
//! | `valkey` | what stands behind that port where the stack names one |
//! | `error` | [`ReadError`] |
//! | `sabotage` | [`Sabotage`]: one mistake a rule, for tests |

mod answer;
mod between_defaults;
mod entry;
mod error;
mod form;
mod heads;
mod reader;
mod sabotage;
mod second_tier;
mod valkey;
mod view;

pub use error::ReadError;
pub use reader::CachedReader;
pub use sabotage::Sabotage;
pub use second_tier::{Kept, SecondTier, Trouble};
pub use view::{View, ViewKey};

/// What the targets of `fuzz/` call; no other build has it.
#[cfg(fuzzing)]
pub mod fuzzing {
    use taxonomy_keys::{CategoryId, List, Place, TermId};
    use taxonomy_store::TermItem;

    use crate::answer::Answer;
    use crate::entry::Entry;

    /// An entry of the second tier that was believed.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Believed {
        entry: Entry,
        answer: Answer,
    }

    impl Believed {
        /// What these bytes are to whoever asks for one entry of each kind; none where they answer none of them.
        #[must_use]
        pub fn read(bytes: &[u8]) -> Option<Self> {
            let (term, category) = (TermId::new(2)?, CategoryId::new(1)?);
            let item = |culture| Entry::Term(TermItem { id: term, culture });
            let page = |list, after| Entry::Page {
                list,
                limit: 50,
                after,
            };
            let place = Place::parse("a b\t0000000000000000")?;
            let entries = [
                item(None),
                item("fr-FR".parse().ok()),
                Entry::Category(category),
                page(List::Categories, None),
                page(List::Categories, Some(place.clone())),
                page(List::Children(term), None),
                page(List::Children(term), Some(place)),
            ];
            entries.into_iter().find_map(|entry| {
                let answer = Answer::from_form(&entry, bytes)?;
                Some(Self { entry, answer })
            })
        }

        /// As this build keeps it.
        #[must_use]
        pub fn write(&self) -> Option<Vec<u8>> {
            self.answer.to_form(&self.entry)
        }
    }
}
