"""The files of a load: releases of a taxonomy in turn, each with its version in names that move from version to version.

A response with parts of two versions then differs from both.
"""

import json
import os
from pathlib import Path

from oracle import Json
from stack import ROOT

RELEASES = (1, 2, 3)
#: What the taxonomies are called in a report.
TAXONOMIES = {"iab": "IAB's content taxonomy", "google": "google's product taxonomy"}
#: One in so many terms is renamed by each version.
STAMPED = 50


def releases(taxonomy: str) -> tuple[str, list[Json]]:
    """Returns the real releases of a taxonomy, or the samples where they are absent."""
    folder = Path(os.environ.get("TAXONOMY_DATA", ROOT.parent / "shared" / "data"))
    files = [folder / taxonomy / f"taxonomy-v{release}.json" for release in RELEASES]
    if all(file.exists() for file in files):
        return f"{TAXONOMIES[taxonomy]}, releases 1, 2 and 3 in turn", [json.loads(file.read_bytes()) for file in files]
    return "the samples, both releases in turn", [json.loads(path.read_bytes()) for path in sorted((ROOT / "samples").glob("job-board-v*.json"))]


def stamped(files: list[Json], version: int) -> Json:
    """Returns the file of a version: a release with the version in the names of one category and of some terms, other ones than in the version before."""
    file: Json = json.loads(json.dumps(files[(version - 1) % len(files)]))
    for place, category in enumerate(file["categories"]):
        if place == version % len(file["categories"]):
            _stamp(category, version)
        waiting = list(category.get("terms", []))
        while waiting:
            term = waiting.pop()
            if term["id"] % STAMPED == version % STAMPED:
                _stamp(term, version)
            waiting.extend(term.get("children", []))
    return file


def _stamp(node: Json, version: int) -> None:
    for named in [node, *node.get("names", [])]:
        if "name" in named:
            named["name"] += f" of version {version}"
