//! Mentions in texts, compared with a reference that tries every name at every place, and word by word.

mod gaps;
mod names;
mod random;
mod reference;
mod rules;
