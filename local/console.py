"""Progress for people: a line where a step begins and one where it ends, with its time, and a sign of life in between."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_SIGNS = 15


def say(text: str = "") -> None:
    """One line, at once, and whole where several threads write."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def duration(seconds: float) -> str:
    """Seconds as people read them: `12 s`, `3 min 12 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def step(name: str) -> Iterator[None]:
    """Says that a step begins, that it goes on, and how long it took. Steps may run in several threads."""
    started, over = time.monotonic(), threading.Event()

    def passed() -> str:
        return duration(time.monotonic() - started)

    def tick() -> None:
        while not over.wait(SECONDS_BETWEEN_SIGNS):
            say(f"    {name}: {passed()} so far")

    say(f"==> {name}")
    threading.Thread(target=tick, daemon=True).start()
    how = "failed after "
    try:
        yield
        how = ""
    finally:
        over.set()
        say(f"==> {name}: {how}{passed()}")
