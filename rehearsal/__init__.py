"""Rehearses a deployment: checks before it whatever can be checked before, and changes nothing."""
