"""Runs the whole stack on one machine: the real template, deployed by `sam deploy` to a local AWS emulator."""
