"""Writes docs/game-day.md."""

from .day import Played


def write(played: list[Played]) -> None:
    """Writes the record of a day."""
