"""The files of a load: releases of a taxonomy in turn, each with its version in names that move from version to version.

A response with parts of two versions then differs from both.
"""

import json

from checks.data import NotRun, file
from oracle import Json
from stack import FIRST, SECOND

RELEASES = (1, 2, 3)
#: What the taxonomies are called in a report.
TAXONOMIES = {"iab": "IAB's content taxonomy", "google": "google's product taxonomy"}
#: One in so many terms is renamed by each version.
STAMPED = 50


def releases(taxonomy: str) -> tuple[str, list[Json]]:
    """Returns the real releases of a taxonomy, or the samples where they are absent."""
    try:
        files, title = [file(f"{taxonomy}/taxonomy-v{release}.json") for release in RELEASES], f"{TAXONOMIES[taxonomy]}, releases 1, 2 and 3 in turn"
    except NotRun:
        files, title = [FIRST, SECOND], "the samples, both releases in turn"
    return title, [json.loads(path.read_bytes()) for path in files]


def stamped(files: list[Json], version: int) -> Json:
    """Returns the file of a version: a release with the version in the names of one category and of some terms, other ones than in the version before."""
    content: Json = json.loads(json.dumps(files[(version - 1) % len(files)]))
    for place, category in enumerate(content["categories"]):
        if place == version % len(content["categories"]):
            _stamp(category, version)
        waiting = list(category.get("terms", []))
        while waiting:
            term = waiting.pop()
            if term["id"] % STAMPED == version % STAMPED:
                _stamp(term, version)
            waiting.extend(term.get("children", []))
    return content


def _stamp(node: Json, version: int) -> None:
    for named in [node, *node.get("names", [])]:
        if "name" in named:
            named["name"] += f" of version {version}"
