"""Progress for people: one line for each step that ended, with its time; on a terminal also which steps run."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .problem import Stopped


def say(text: str = "") -> None:
    """One line, at once."""
    _SCREEN.print(text)


def duration(seconds: float) -> str:
    """Seconds as people read them: `12 s`, `3 min 12 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextmanager
def step(name: str, noisy: bool = False) -> Iterator[None]:
    """Prints one line when the step ends: its name and its time. A noisy step lets other programs write to the terminal,
    so its name is printed before them too. Steps may run in several threads."""
    if noisy:
        say(f"==> {name}")
    else:
        _SCREEN.begin(name)
    started = time.monotonic()
    try:
        yield
    except BaseException as error:
        how = "stopped" if isinstance(error, Stopped) else "failed"
        _SCREEN.end(name, f"==> {name}: {how} after {duration(time.monotonic() - started)}")
        raise
    _SCREEN.end(name, f"==> {name}: {duration(time.monotonic() - started)}")


class _Screen:
    """Standard output, shared by threads. The last line of a terminal names the running steps."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[str] = []

    def begin(self, name: str) -> None:
        with self._lock:
            self._running.append(name)
            self._draw()

    def end(self, name: str, line: str) -> None:
        with self._lock:
            if name in self._running:
                self._running.remove(name)
            self._print(line)

    def print(self, text: str) -> None:
        with self._lock:
            self._print(text)

    def _print(self, text: str) -> None:
        clear = "\r\033[K" if sys.stdout.isatty() else ""
        print(f"{clear}{text}", flush=True)
        self._draw()

    def _draw(self) -> None:
        if self._running and sys.stdout.isatty():
            print(f"\r\033[K... {', '.join(self._running)}"[:120], end="", flush=True)


_SCREEN = _Screen()
