//! The proof of the caches: the real projector and the real lookup over replicas that lag and a second tier that forgets, judged by a
//! model that knows nothing but what was uploaded.
//!
//! | File | What is in it |
//! |---|---|
//! | `files`, `model` | what is uploaded, and what each version has to say |
//! | `stand`, `tier`, `second` | the stack, and what stands behind the processes' own memory |
//! | `walk`, `judge` | what happens, chosen by a seed, and what an answer must be |
//! | `walks`, `mistakes` | many of them, and once more with each rule broken |
//! | `staleness` | how long it takes until a new version is seen |
//! | `proof` | the lines that say what was tried |
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod files;
mod judge;
mod mistakes;
mod model;
mod proof;
mod second;
mod staleness;
mod stand;
mod tier;
mod walk;
mod walks;
