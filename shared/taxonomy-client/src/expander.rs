//! Turns term ids into FinalNames of the terms and all their ancestors.
