"""Progress for people: what is being done, and how long it took."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


def say(text: str = "") -> None:
    """One line, at once."""
    print(text, flush=True)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Says that something begins, and when it ended how long it took."""
    say(f"==> {name}")
    started = time.monotonic()
    yield
    say(f"    done in {time.monotonic() - started:.0f} s")


class Ticker:
    """One line that changes on a terminal; on anything else a line whenever the text changes."""

    def __init__(self) -> None:
        self._last = ""
        self._terminal = sys.stdout.isatty()

    def show(self, text: str) -> None:
        """Replaces what was shown."""
        if text == self._last:
            return
        if self._terminal:
            print(f"\r\033[K    {text}", end="", flush=True)
        else:
            say(f"    {text}")
        self._last = text

    def end(self) -> None:
        """Leaves the last text where it is."""
        if self._terminal and self._last:
            say()
