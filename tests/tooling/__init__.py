"""Tests of `local/`, `checks/` and `release/` that need no stack, no tools and no network."""
