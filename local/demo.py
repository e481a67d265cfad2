"""The whole service in one minute: an upload, answers, a second release, what it changed, the answers after it."""

import time
from pathlib import Path
from typing import Any

from . import http_api, logs, samples, stack
from .problem import Problem
from .push import push
from .samples import Term
from .say import say
from .stack import Stack

TENANT = "job-board"
DEFAULT = "en-GB"
FURTHER = "fr-FR"
SHOWN = 4
SECONDS_FOR_THE_LOG = 10


def demo() -> None:
    """Takes the stack down again unless it was up before."""
    was_up = stack.is_up()
    try:
        _show(stack.up())
    finally:
        if not was_up:
            stack.down()


def _show(here: Stack) -> None:
    old, new = samples.read(samples.FIRST), samples.read(samples.SECOND)
    changes = samples.compare(old, new)

    _title("An upstream system uploads the job board's taxonomy to S3")
    _push_and_count(here, samples.FIRST)

    deep = samples.deepest(old, FURTHER)
    _title(f"A consumer knows nothing but the id {deep.id}, and asks for it with its ancestors")
    _print_term(http_api.term(here, TENANT, deep.id))
    _title(f"The same in another culture, with culture={FURTHER}")
    _print_term(http_api.term(here, TENANT, deep.id, FURTHER))

    renamed = [(was, now) for was, now in changes.renamed if was.names.get(DEFAULT) != now.names.get(DEFAULT)]
    if not renamed:
        raise Problem(f"{samples.SECOND.name} renames no term in {DEFAULT}, which the demo wants to show")
    _title("The upstream system uploads its next release")
    _print_changes("added", [_name(term) for term in changes.added])
    _print_changes("removed", [_name(term) for term in changes.removed])
    _print_changes(f"renamed in {DEFAULT}", [f"{_name(was)} -> {_name(now)}" for was, now in renamed])
    _print_changes("moved", [f"{_name(now)}: from {_place(was, old)} to {_place(now, new)}" for was, now in changes.moved])
    _push_and_count(here, samples.SECOND)

    _title(f"A renamed term is known by its new name, here {renamed[0][0].id}")
    _print_term(http_api.term(here, TENANT, renamed[0][0].id))
    _title(f"So is every ancestor of term {deep.id}")
    _print_term(http_api.term(here, TENANT, deep.id))
    if changes.removed:
        _title("A removed term still answers, so that yesterday's events can be named")
        _print_term(http_api.term(here, TENANT, changes.removed[0].id))
    _title("The same file again writes nothing")
    push(here, samples.SECOND, TENANT)


def _push_and_count(here: Stack, file: Path) -> None:
    since_ms = time.time_ns() // 1_000_000
    push(here, file, TENANT)
    for line in _projected(here, since_ms):
        say(
            f"    the projector wrote {line['items_put']} items and removed {line['items_removed']}, "
            f"{line['items_already']} were there already (version {line['from_version']} -> {line['version']})"
        )


def _projected(here: Stack, since_ms: int) -> list[dict[str, Any]]:
    # The line is logged after the head has moved, and is read a moment later. An unchanged file leaves none.
    deadline = time.monotonic() + SECONDS_FOR_THE_LOG
    while time.monotonic() < deadline:
        if lines := [line for line in logs.projected(here, since_ms) if line.get("tenant") == TENANT]:
            return lines
        time.sleep(0.3)
    return []


def _title(text: str) -> None:
    say(f"\n--- {text}")


def _print_term(term: dict[str, Any]) -> None:
    notes = [note for note in ("deprecated", "removed") if term.get(note)]
    say(f"    {term['id']:>6}  {term['finalName']}{'  (' + ', '.join(notes) + ')' if notes else ''}")
    for ancestor in term["ancestors"]:
        say(f"    {ancestor['id']:>6}  {ancestor['finalName']}")


def _print_changes(kind: str, lines: list[str]) -> None:
    if not lines:
        return
    say(f"    {len(lines)} {kind}:")
    for line in lines[:SHOWN]:
        say(f"        {line}")
    if len(lines) > SHOWN:
        say(f"        and {len(lines) - SHOWN} more")


def _name(term: Term) -> str:
    return f"{term.names.get(DEFAULT, '?')} ({term.id})"


def _place(term: Term, terms: dict[int, Term]) -> str:
    return _name(terms[term.ancestors[0]]) if term.ancestors else f"the top of category {term.category}"
