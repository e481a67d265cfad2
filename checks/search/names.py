"""The names of a taxonomy's source file, and a made-up taxonomy of skills, whose names differ by symbols."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SKILLS = Path(__file__).with_name("skills.txt")
CULTURE = "en-GB"


@dataclass(frozen=True)
class Node:
    """A category or a term: its key (`c` or `t`, and the id), its name of each culture, its code or an empty text."""

    key: str
    names: dict[str, str]
    code: str


def nodes(file: Path) -> list[Node]:
    """The nodes of a source file in its order."""
    content: dict[str, Any] = json.loads(file.read_text())
    return [node for category in content["categories"] for node in _category(category)]


def _category(category: dict[str, Any]) -> Iterator[Node]:
    yield _node("c", category)
    waiting = list(reversed(category.get("terms", ())))
    while waiting:
        term = waiting.pop()
        yield _node("t", term)
        waiting += reversed(term.get("children", ()))


def _node(kind: str, content: dict[str, Any]) -> Node:
    return Node(f"{kind}{content['id']}", {name["culture"]: " ".join(name["name"].split()) for name in content["names"]}, content.get("notation", ""))


def write_skills(file: Path) -> None:
    """Writes the source file of `skills.txt`: `#`, a code and a name are a category; other lines are terms, with other names after bars."""
    categories: list[dict[str, Any]] = []
    code = ""
    for number, line in enumerate(SKILLS.read_text().splitlines(), 1):
        if line.startswith("# "):
            _, code, name = line.split(" ", 2)
            categories.append({"id": number, "names": [_name(name, number)], "terms": []})
            continue
        name, *others = line.split(" | ")
        alternatives = [{"culture": CULTURE, "name": other} for other in others]
        notation = f"{code}-{number:03}.{number % 7}"
        categories[-1]["terms"].append({"id": number + 7000, "notation": notation, "names": [_name(name, number)], "altNames": alternatives})
    file.write_text(json.dumps({"defaultCulture": CULTURE, "categories": categories}, ensure_ascii=False))


def _name(name: str, number: int) -> dict[str, str]:
    return {"culture": CULTURE, "name": name, "path": f"s{number}"}
