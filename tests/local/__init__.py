"""Tests of `local/` that need no stack, no tools and no network."""
