"""The proof of the runbook: each alarm is made to fire on a stack of its own, and its line mends it."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from local import stack
from local.console import say
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import environment

from .outcome import Outcome

FOLDER = ROOT / "tests" / "game_day"


def prove(names: Sequence[str] = ()) -> Outcome:
    """Plays the scenarios of these alarms, or all, and stops the stack afterwards: a scenario that failed may have left its fault there.
    RECORD=1 writes the record of a whole day into the documents."""
    if stack.is_up():
        raise Problem("the stack is up: a game day has one of its own, so `make down` first")
    with stack.running(second_tier=True, program=FOLDER / "ministack_game_day.py"):
        command: list[str | Path] = [VENV / "bin" / "python", "-m", "tests.game_day", *names]
        playing = subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True)
        found = None
        for line in playing.stdout or ():
            say(line.rstrip())
            found = re.fullmatch(r"game-day: (\d+) alarms fired and mended, (\d+) steps held, (\d+) failed, .*", line.strip()) or found
        playing.wait()
    if found is None:
        raise Problem("the game day was not finished")
    mended, held, failed = map(int, found.groups())
    return Outcome(mended + held + failed, failed)
