"""Checks that every relative link, image and anchor of the Markdown documents leads somewhere, by the rules of GitHub."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

from local.console import say
from local.paths import ROOT
from local.problem import Problem
from local.shell import capture

#: The end of a link or an image with its target, and a definition of a target.
LINK = re.compile(r"\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+[\"'(][^)]*)?\)|^ {0,3}\[[^\]]+\]:\s+<?([^\s<>]+)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
ANCHOR = re.compile(r"<a\s[^>]*\b(?:id|name)=[\"']([^\"']+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def check() -> None:
    """Raises one problem that names file, line and target of each link of the project that leads nowhere."""
    links, documents = check_in(ROOT, _files())
    say(f"links: {links} of {documents} documents lead somewhere")


def check_in(root: Path, files: set[str]) -> tuple[int, int]:
    """The same for the files of a folder. Returns how many links and documents there are."""
    documents = [file for file in sorted(files) if file.endswith(".md")]
    links = [(document, number, target) for document in documents for number, target in _links(root, document)]
    broken = [f"{document}:{number}: {target}" for document, number, target in links if not _resolves(root, document, target, files)]
    if broken:
        raise Problem("\n".join(["these links lead nowhere:", *broken]))
    return len(links), len(documents)


def slugs(lines: list[str]) -> set[str]:
    """The anchors of a document: one for each heading, with a number from the second one of the same text on, and explicit ones."""
    found: set[str] = set()
    seen: Counter[str] = Counter()
    for _, line in prose(lines):
        found.update(ANCHOR.findall(line))
        if heading := HEADING.match(line):
            text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            slug = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", text).lower()).replace(" ", "-")
            found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    return found


def _files() -> set[str]:
    """The files of the repository, those that will be added included."""
    listed = capture(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    if listed.returncode:
        raise Problem(f"git does not list the files: {listed.stderr.strip()}")
    return {file for file in listed.stdout.split("\0") if (ROOT / file).is_file()}


def _links(root: Path, document: str) -> Iterator[tuple[int, str]]:
    """Line and target of each link that stays in the repository."""
    for number, line in prose(_lines(root, document)):
        for inline, defined in LINK.findall(CODE.sub("", line)):
            if not ELSEWHERE.match(target := inline or defined):
                yield number, target


def _resolves(root: Path, document: str, target: str, files: set[str]) -> bool:
    path, _, anchor = unquote(target).partition("#")
    place = normpath(path.lstrip("/") if path.startswith("/") else PurePosixPath(document).parent / path) if path else document
    is_there = place in files or place == "." or any(file.startswith(f"{place}/") for file in files)
    return is_there and (not anchor or not place.endswith(".md") or anchor in slugs(_lines(root, place)))


@cache
def _lines(root: Path, document: str) -> list[str]:
    return (root / document).read_text(encoding="utf-8").splitlines()


def prose(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced code, with their numbers."""
    fence = ""
    for number, line in enumerate(lines, 1):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        elif not fence:
            yield number, line
