"""Compares tens of thousands of entries."""

from typing import Any


def same(what: str, expected: dict[Any, Any], found: dict[Any, Any], show: int = 3) -> None:
    """Shows the first few entries that differ, because a full difference would be unreadable."""
    keys = sorted((key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)), key=str)
    if keys:
        shown = "\n".join(f"{key}\n{_difference(expected.get(key), found.get(key))}" for key in keys[:show])
        raise AssertionError(f"{what}: {len(keys)} of {len(expected)} differ\n{shown}")


def _difference(expected: Any, found: Any) -> str:
    """Returns the fields in which two objects differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        fields = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
        return "\n".join(f"  {name}: expected {expected.get(name)}, found {found.get(name)}" for name in sorted(fields))
    return f"  expected {expected}\n  found    {found}"
