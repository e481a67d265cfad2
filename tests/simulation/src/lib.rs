//! The plans of the simulation. Its scenarios are the test `simulation`; the test `cache-savings` counts what the tiers of caches save.

pub mod fault_plan;
