"""The groups of scenarios, in the order of the runbook."""

from importlib import import_module

GROUPS = ["uploads", "audits", "downloads", "aggregates", "lookups", "table", "caches"]
#: Alarms that cannot fire on the local stack, each with the reason.
CANNOT: dict[str, str] = {"ProjectorDroppedAlarm": "the emulator delivers each failed event to its destination, and counts no delivery that fails"}


def load() -> None:
    """Registers the scenarios of all groups."""
    for group in GROUPS:
        import_module(f".{group}", __package__)
