"""The whole service in a few minutes: an upload, answers, a second release, what it changed, the answers after it; every step a command."""

import json

from . import stack
from .api import Api
from .command_line import taxonomy
from .console import say
from .paths import ROOT
from .problem import Problem
from .stack import Stack

TENANT = "job-board"
FIRST, SECOND = "samples/job-board-v1.json", "samples/job-board-v2.json"
METRICS = ROOT / "samples" / "metrics.ndjson"
PLAN = ".local/job-board.plan"
#: Of samples/README.md: five levels deep; its parent; removed by version 2.
DEEP, ABOVE, REMOVED = "113", "112", "172"
NEEDS = """This builds the service, starts a local AWS emulator, deploys the service to it and uses it.
It needs Linux (x86_64 or arm64), Rust, Python 3.10 or newer and a C compiler; 4 GB of disk in this folder; 4 to 7 minutes
the first time, half a minute after that. Everything stays in this folder; `make down` stops it, `make clean` removes it."""


def demo() -> None:
    """Leaves the stack up for the reader to look at; takes down one that it started where a step failed."""
    say(NEEDS)
    was_up = stack.is_up()
    try:
        here = stack.up()
        _show(here)
    except BaseException:
        if not was_up:
            stack.down()
        raise
    say(f"\n--- The explorer shows the same in a browser:\n{stack.explorer_of(here, TENANT, DEEP)}")
    say('The stack stays up; `make down` takes it down. `eval "$(make -s env)"` lets your shell find `taxonomy` and the stack')


def _show(here: Stack) -> None:
    def do(title: str, *arguments: str) -> None:
        say(f"\n--- {title}")
        taxonomy(here, *arguments, stdin=METRICS if arguments[0] == "expand" else None)

    do("An upstream system validates the job board's taxonomy by the service's own code", "validate", FIRST)
    do("It uploads the file to S3, and follows it until it is served", "push", FIRST, "--tenant", TENANT)
    say(f"\n--- A consumer knows nothing but the id {ABOVE}, and asks the HTTP API for the term with its ancestors")
    _ask(here, f"/v1/tenants/{TENANT}/terms/{ABOVE}", "fr-FR")
    do("The same question by the command line, for a term below", "get", DEEP, "--tenant", TENANT, "--culture", "fr-FR")
    do("The upstream system asks what its next release would change", "plan", SECOND, "--tenant", TENANT, "--out", PLAN)
    do("It pushes exactly what was planned", "push", SECOND, "--plan", PLAN, "--release", "2026.2")
    do(f"An ancestor of the term {DEEP} was renamed; the removed term {REMOVED} still answers", "get", DEEP, REMOVED, "--tenant", TENANT)
    do("Events with ids become events with names", "expand", "--tenant", TENANT)
    do("The same file again uploads nothing", "push", SECOND, "--tenant", TENANT)
    do("Every version stays readable", "history", TENANT)


def _ask(here: Stack, path: str, culture: str) -> None:
    """Prints a request as curl sends it, and the JSON of its answer."""
    say(f"$ curl -H 'Host: {here.apiHost}' '{here.apiUrl}{path}?culture={culture}'")
    try:
        say(json.dumps(Api(here.apiUrl, here.apiHost).get(path, culture=culture).body, indent=2, ensure_ascii=False))
    except OSError as error:
        raise Problem(f"the HTTP API did not answer {path}: {error}") from error
