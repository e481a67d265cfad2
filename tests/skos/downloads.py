"""Taxonomies, and their downloads as the example `write` prints them."""

import json
import os
import random
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from rdflib import Graph

ROOT = Path(__file__).resolve().parents[2]
WRITE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "examples" / "write"
#: The seeds of the generated taxonomies.
SEEDS = range(40)

TEXTS = [
    "=1+1", "'quoted", 'say "hi"', '"', "back\\slash\\", " edges ", "\u00a0no break\u00a0", "two  spaces", "with:colon", "日本語", "😀",
    "e\u0301", "é", "<a href='x'>&amp;</a>", "null", "@en", "{}", "\u200fright to left", "line\u2028separator", "# no comment", "a @en . b", "^^x",
]  # fmt: skip
NOTES = ["line one\nline two\r\n\tthree", " edges ", "\n", '"""', "a\\"]
CULTURES = ["en-GB", "fr-FR", "de-DE", "pt-BR", "zh-Hant-TW", "es-419", "x-own", "de-CH-1996"]
CONCEPTS = ["http://example.com/1", "http://example.com/2", "http://example.com/3", "https://example.com/é?a=1#b", "urn:isbn:1", "c1", "A:12", "http://not an iri/<>"]
KINDS = ["exact", "close", "broad", "narrow", "related"]


def write(file: Path) -> str:
    """Returns the download of a file as SKOS."""
    if not WRITE.exists():
        raise AssertionError(f"no {WRITE}: cargo build -p taxonomy-formats --example write")
    done = subprocess.run([WRITE, file, "skos"], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def write_content(content: dict[str, Any]) -> str:
    """Returns the download of a taxonomy that is in no file yet."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "taxonomy.json"
        file.write_text(json.dumps(content))
        return write(file)


def graph(turtle: str) -> Graph:
    """Returns the statements, as rdflib reads them."""
    return Graph().parse(data=turtle, format="turtle")


def nasty(seed: int) -> dict[str, Any]:
    """Returns a taxonomy with every text and relation that Turtle and SKOS could handle wrongly."""
    dice = random.Random(seed)
    terms = dice.randint(1, 60)
    categories: list[dict[str, Any]] = [_node(dice, id, terms, False) for id in range(dice.randint(1, 3))]
    placed: list[dict[str, Any]] = []
    for id in dice.sample(range(terms), terms):
        node = _node(dice, id, terms, True)
        above = dice.choice(placed[-12:] + categories)
        above.setdefault("terms" if above in categories else "children", []).append(node)
        placed.append(node)
    return {"defaultCulture": "en-GB", "categories": categories}


def _node(dice: random.Random, id: int, terms: int, is_term: bool) -> dict[str, Any]:
    def maybe(field: str, value: Any) -> None:
        if dice.random() < 0.4:
            node[field] = value

    cultures = ["en-GB", *dice.sample(CULTURES[1:], dice.randint(0, 4))]
    names = [{"culture": culture, "name": dice.choice(TEXTS), "path": dice.choice([None, "a/b", *TEXTS])} for culture in cultures]
    node: dict[str, Any] = {"id": id, "names": names}
    maybe("notation", dice.choice(TEXTS))
    maybe("altNames", [{"culture": dice.choice(CULTURES), "name": dice.choice(TEXTS)} for _ in range(dice.randint(0, 9))])
    maybe("notes", [{"culture": culture, "definition": dice.choice(NOTES), "scopeNote": dice.choice([None, *NOTES])} for culture in cultures])
    maybe("sortKey", dice.choice(TEXTS))
    maybe("metadata", {"é\n": dice.uniform(-180, 180), "a": [10 ** dice.randint(-300, 300) / 3, {"b": dice.choice(TEXTS)}]})
    maybe("deprecation", {"reason": dice.choice(TEXTS), "since": dice.choice([None, "2024-02-29"])})
    maybe("replacedBy", [other for other in dice.sample(range(terms + 5), 3) if other != id])
    relations = [_relation(dice, id, terms, is_term) for _ in range(dice.randint(0, 5))]
    maybe("relations", [relation for relation in relations if relation])
    return node


def _relation(dice: random.Random, id: int, terms: int, is_term: bool) -> dict[str, Any] | None:
    kind = dice.choice(KINDS)
    if dice.random() < 0.5:
        return {"type": kind, "scheme": dice.choice(["esco", 'a "b"']), "id": dice.choice(CONCEPTS)}
    other = dice.randrange(terms + 2)
    return None if is_term and other == id else {"type": kind, "id": other}
