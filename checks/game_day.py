"""The game day: each alarm is made to fire on a stack of its own, and its runbook line mends it."""

import subprocess

from local import stack
from local.paths import ROOT, VENV
from local.problem import Problem
from local.shell import environment

FOLDER = ROOT / "tests" / "game_day"


def play(names: list[str]) -> None:
    """Plays the scenarios of these alarms, or all, and stops the stack afterwards: a scenario that failed may have left its fault there."""
    if stack.is_up():
        raise Problem("the stack is up: a game day has one of its own, so `make down` first")
    try:
        stack.up(second_tier=True, program=FOLDER / "ministack_game_day.py")
        command = [VENV / "bin" / "python", "-m", "tests.game_day", *names]
        if subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode:
            raise Problem("an alarm did not fire or was not mended")
    finally:
        stack.down()
