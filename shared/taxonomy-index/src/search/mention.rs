//! Mentions: the names of a culture that a text contains, each with its place (docs/decisions/0037-extraction.md).
//!
//! The names are folded as in a search, and compared word by word. The search object has them as an [`Automaton`] over words, in one part, which
//! is read whole: a text touches all of it.
//!
//! - `words`: the words of a text or of a name, and what stands between them;
//! - `writer`, `stored`, `automaton`: the part, written and read;
//! - `find`: the mentions, leftmost and longest.
//!
//! ```
//! use taxonomy_index::search::mention::{Automaton, Class, Extraction, class, write};
//! use taxonomy_index::search::{Entry, Kind, Language};
//!
//! let entry = Entry { ordinal: 0, id: 7, name: "Data science", kind: Kind::Preferred, depth: 1, deprecated: false, sort_key: "" };
//! let english = Language::parse("en");
//! let part = write(english, &[entry]).ok_or("too large")?;
//! let automata = [Automaton::open(&part).ok_or("damaged")?];
//!
//! let extraction = Extraction::new("You like DATA-SCIENCE, and people.", &automata);
//! let mentions: Vec<_> = extraction.mentions(0, |_, _| true).collect();
//! assert_eq!(mentions[0].range, 9..21);
//! assert_eq!(mentions[0].candidates[0].ordinal, 0);
//! assert_eq!(class(english, mentions[0].text, "Data science"), Some(Class::Folded));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod automaton;
mod find;
mod stored;
mod words;
mod writer;

pub use automaton::Automaton;
pub use find::{Candidate, Extraction, Mention};
pub use words::{Class, class};
pub use writer::write;

/// The maximum number of words of a name that is looked for.
pub const MAX_WORDS: usize = 64;

/// The maximum number of candidates of a mention.
pub const MAX_CANDIDATES: usize = 20;
