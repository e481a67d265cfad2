"""What a first load and an edit write: the service as the table counts it, and the article's layout, whose items follow from the tree."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

from local.console import step

from .files import Json, named, terms
from .host import Host, service

TENANT = "acme"


def take(programs: dict[str, Path], files: list[Path]) -> list[Json]:
    """Of each file and edit: items and write units here, and items of the article's layout, each of one unit."""
    return [row for file in files for row in _of(programs, file)]


def _of(programs: dict[str, Path], file: Path) -> Iterator[Json]:
    name = f"{file.parent.name}/{file.name}"
    with Host(programs["taxonomy-host"], service(programs)) as host, step(f"Counting the writes of {name}"):
        content, items = json.loads(file.read_bytes()), dict[str, object]()
        for version, edit in enumerate((_first, _leaf, _category, _move, _nothing), 1):
            what = edit(content)
            host.own("requests")
            host.upload(TENANT, json.dumps(content).encode())
            if edit is not _nothing:
                host.wait(TENANT, version, "Projected")
            else:
                host.until(lambda: "GET source" in host.own("requests")["kinds"], "the upload to be read")
            kinds = host.own("requests")["kinds"]
            written = [kinds[kind] for kind in kinds if kind.startswith(("PutItem Term", "PutItem Category"))]
            before, items = items, dict(_article(content))
            changed = sum(items.get(key) != before.get(key) for key in items.keys() | before.keys())
            here = {"items": sum(kind["count"] for kind in written), "units": sum(kind["units"] for kind in written)}
            yield {"file": name, "edit": what, "article": changed} | here


def _article(content: Json) -> Iterator[tuple[str, object]]:
    """The items of the article's layout by key: a category; a term, its category and each of its parents; names in the default culture."""
    for category in content["categories"]:
        yield f"CATEGORY#{category['id']}", _name(category)
    for category, term, above in terms(content):
        yield f"TERM#{term['id']}", (_name(category), _name(term))
        yield f"TERM#{term['id']}#CATEGORY", category["id"]
        yield from ((f"TERM#{term['id']}#PARENT#{level}", (_name(category), _name(parent))) for level, parent in enumerate(above, 1))


def _name(node: Json) -> str:
    return str(named(node)["name"])


def _size(term: Json) -> int:
    return 1 + sum(map(_size, term.get("children", [])))


def _largest(content: Json) -> Json:
    largest: Json = max(content["categories"], key=lambda category: sum(map(_size, category.get("terms", []))))
    return largest


def _first(content: Json) -> str:
    return f"first load of {sum(1 for _ in terms(content)):,} terms"


def _leaf(content: Json) -> str:
    """Renames a leaf of the greatest depth."""
    _, leaf, above = max(terms(content), key=lambda each: len(each[2]))
    named(leaf)["name"] = "Renamed leaf"
    return f"a leaf of depth {len(above) + 1} renamed"


def _category(content: Json) -> str:
    category = _largest(content)
    named(category)["name"] = "Renamed category"
    return f"a category of {sum(map(_size, category['terms'])):,} terms renamed"


def _move(content: Json) -> str:
    """Moves the largest subtree of the second level under another top term of its category."""
    tops = _largest(content)["terms"]
    parent = max((top for top in tops if top.get("children")), key=lambda top: max(map(_size, top["children"])))
    moved = max(parent["children"], key=_size)
    parent["children"].remove(moved)
    next(top for top in tops if top is not parent).setdefault("children", []).append(copy.deepcopy(moved))
    return f"a subtree of {_size(moved):,} terms moved"


def _nothing(_: Json) -> str:
    return "nothing changed"
