"""The names of a taxonomy's source file, and two that are made up: skills, whose names differ by symbols, and a million terms."""

import json
import random
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


def write_million(file: Path) -> None:
    """Writes a source file of a million terms: two to six words out of 60,000, the n-th of which is drawn as often as 1/n."""
    rng = random.Random(1)
    starts = "b c d f g h k l m n p r s t v w br ch cl dr fl gr pl pr sh st tr".split()
    syllables = [start + end for start in starts for end in ("a", "e", "i", "o", "u", "é", "an", "er", "in", "or")]
    words = ["".join(syllables[int(rng.random() * len(syllables))] for _ in range(1 + int(rng.random() * 4))) for _ in range(60_000)]

    def term(number: int) -> dict[str, Any]:
        drawn = (words[int(len(words) ** rng.random()) - 1] for _ in range(2 + int(rng.random() * 5)))
        return {"id": number, "names": [_name(" ".join(drawn), number)]}

    terms = [term(number) for number in range(1_000_000)]
    file.write_text(json.dumps({"defaultCulture": CULTURE, "categories": [{"id": 1, "names": [_name("Everything", 1)], "terms": terms}]}, ensure_ascii=False))


def _name(name: str, number: int) -> dict[str, str]:
    return {"culture": CULTURE, "name": name, "path": f"s{number}"}
