"""How the commands of `local`, `checks` and `release` end."""

import sys
from collections.abc import Callable

from .problem import Problem


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
    return ended if isinstance(ended, int) else 0
