"""The whole service in one minute: an upload, answers, a second release, what it changed, the answers after it; every step a command."""

from . import stack
from .command_line import taxonomy
from .paths import ROOT
from .console import say
from .stack import Stack

TENANT = "job-board"
FIRST, SECOND = "samples/job-board-v1.json", "samples/job-board-v2.json"
METRICS = ROOT / "samples" / "metrics.ndjson"
PLAN = ".local/job-board.plan"
#: Of samples/README.md: five levels deep; below a term that version 2 renames; removed by version 2.
DEEP, REMOVED = "113", "172"


def demo() -> None:
    """Leaves the stack up for the reader to look at; takes down one that it started where a step failed."""
    was_up = stack.is_up()
    try:
        here = stack.up()
        _show(here)
    except BaseException:
        if not was_up:
            stack.down()
        raise
    say(f"\n--- The explorer shows the same in a browser: {stack.explorer_of(here, TENANT, DEEP)}")
    say("The stack stays up; `make down` takes it down")


def _show(here: Stack) -> None:
    def do(title: str, *arguments: str) -> None:
        say(f"\n--- {title}")
        taxonomy(here, *arguments, stdin=METRICS if arguments[0] == "expand" else None)

    do("An upstream system validates the job board's taxonomy by the service's own code", "validate", FIRST)
    do("It uploads the file to S3, and follows it until it is served", "push", FIRST, "--tenant", TENANT)
    do(f"A consumer knows nothing but the id {DEEP}, and asks the HTTP API for it with its ancestors", "get", TENANT, DEEP)
    do("The same in another culture", "get", TENANT, DEEP, "--culture", "fr-FR")
    do("The upstream system asks what its next release would change", "plan", SECOND, "--tenant", TENANT, "--out", PLAN)
    do("It pushes exactly what was planned", "push", SECOND, "--plan", PLAN, "--release", "2026.2")
    do(f"An ancestor of the term {DEEP} was renamed; the removed term {REMOVED} still answers", "get", TENANT, DEEP, REMOVED)
    do("Metrics with ids become metrics with names", "expand", TENANT)
    do("The same file again uploads nothing", "push", SECOND, "--tenant", TENANT)
    do("Every version stays readable", "history", TENANT)
