//! The stored form, pinned: a change here is a change of what is stored, and needs another index format.
