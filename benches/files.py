"""The content of a taxonomy's file."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def terms(content: Json) -> Iterator[tuple[Json, Json, list[Json]]]:
    """Each term of a file, with its category before it and the terms above it behind it, the nearest first."""
    for category in content["categories"]:
        waiting: list[tuple[Json, list[Json]]] = [(term, []) for term in category.get("terms", [])]
        while waiting:
            term, above = waiting.pop()
            yield category, term, above
            waiting.extend((child, [term, *above]) for child in term.get("children", []))


def named(node: Json) -> Json:
    """What holds the name of a category or a term in the default culture."""
    found: Json = node["names"][0] if node.get("names") else node
    return found
