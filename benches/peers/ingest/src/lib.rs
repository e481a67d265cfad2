//! The cost of large files: parsing beside serde_json, a whole ingest, and the time of a load on a fresh table.
//!
//! | Module | Content |
//! |---|---|
//! | `generate`, `words` | [`generate::Generated`]: files of any size in the service's format |
//! | `parse` | [`parse::Reader`]: the service's parser, and serde_json into structs and into `Value` |
//! | `store` | a table and buckets that answer at once |
//! | `ingest`, `cost` | one version through the real projector; its items and units by the model |
//! | `load` | the simulation of a first load |
//! | `children` | pieces of work in processes of their own, counted by valgrind, by the allocator, by the system |
//! | `report` | all of it as one JSON document |
//! | `memory` | the resident memory of a process |

pub mod children;
pub mod cost;
pub mod failure;
pub mod generate;
pub mod ingest;
pub mod load;
pub mod memory;
pub mod parse;
pub mod report;
pub mod store;
mod words;
