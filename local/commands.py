"""How the commands of `local`, `checks` and `release` are declared, and how they end."""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any

from .problem import Problem


class Commands:
    """The commands of a program, each with a function that gets its options."""

    def __init__(self, program: str, text: str) -> None:
        self._parser = argparse.ArgumentParser(prog=program, description=text)
        self._commands = self._parser.add_subparsers(required=True, metavar="COMMAND")

    def add(self, name: str, text: str, do: Callable[[Any], object]) -> argparse.ArgumentParser:
        """Declares a command, and returns its parser for its options."""
        command = self._commands.add_parser(name, help=text, description=text)
        command.set_defaults(do=do)
        return command

    def main(self) -> int:
        """Runs the command that the arguments name. Returns the exit code."""
        options = self._parser.parse_args()
        return run(lambda: options.do(options))


def run(command: Callable[[], object]) -> int:
    """Runs a command. Returns its exit code: 0, the number that it returns, 1 with one sentence on standard error, or 130 after an interruption."""
    try:
        ended = command()
    except Problem as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever reads, such as `head`, has had enough; Python would write the rest at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return ended if isinstance(ended, int) else 0
