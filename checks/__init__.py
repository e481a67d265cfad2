"""Checks of the project that need no running stack."""
