"""`python3 -m release.notes TAG`: prints the text of a release, the entry of its version in CHANGELOG.md."""

import argparse
import re
import sys

from local.commands import run
from local.console import say
from local.paths import ROOT
from local.problem import Problem

#: The beginning of an entry: `## [0.1.0] - 2026-12-01`.
HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?P<rest>.*)$", re.MULTILINE)
VERSION = re.compile(r'^\[workspace\.package\]$[^\[]*?^version = "([^"]+)"$', re.MULTILINE)


def entry(changelog: str, tag: str) -> str:
    """The entry of a tag, without its heading. The tag is that of the workspace's version, and the entry has a date."""
    number = version()
    if tag != f"v{number}":
        raise Problem(f"the tag {tag} is not v{number}, the version in Cargo.toml")
    headings = list(HEADING.finditer(changelog))
    position = next((at for at, heading in enumerate(headings) if heading["version"] == number), None)
    if position is None:
        raise Problem(f"CHANGELOG.md has no entry for {number}")
    found = headings[position]
    if not re.fullmatch(r" - \d{4}-\d{2}-\d{2}", found["rest"]):
        raise Problem(f"the entry of {number} in CHANGELOG.md has no date: write `## [{number}] - YYYY-MM-DD`")
    end = headings[position + 1].start() if position + 1 < len(headings) else len(changelog)
    text = changelog[found.end() : end].strip()
    if not text:
        raise Problem(f"the entry of {number} in CHANGELOG.md is empty")
    return text


def version() -> str:
    """The version of the workspace, which is that of every package."""
    found = VERSION.search((ROOT / "Cargo.toml").read_text())
    if not found:
        raise Problem("Cargo.toml names no version of the workspace")
    return found[1]


def main() -> int:
    """Returns the exit code: 0, or 1 with one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python3 -m release.notes", description="Prints the changelog's entry of a version.")
    parser.add_argument("tag", metavar="TAG", help="the tag of the version, such as v0.1.0")
    options = parser.parse_args()
    return run(lambda: say(entry((ROOT / "CHANGELOG.md").read_text(), options.tag)))


if __name__ == "__main__":
    sys.exit(main())
