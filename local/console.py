"""Progress for people: one line for each step that ended, with its time. While steps run, the last line of a terminal names them with their
times; elsewhere a line does, every quarter of a minute."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .problem import Stopped

#: Where no terminal shows what runs.
SECONDS_BETWEEN_LINES = 15


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
        self._begun: dict[str, float] = {}
        self._clock: threading.Thread | None = None

    def begin(self, name: str) -> None:
        with self._lock:
            self._begun[name] = time.monotonic()
            self._draw()
            if self._clock is None:
                self._clock = threading.Thread(target=self._tick, daemon=True)
                self._clock.start()

    def end(self, name: str, line: str) -> None:
        with self._lock:
            self._begun.pop(name, None)
            self._print(line)

    def _tick(self) -> None:
        """Shows that running steps are alive, until there is none."""
        is_terminal = sys.stdout.isatty()
        while True:
            time.sleep(1 if is_terminal else SECONDS_BETWEEN_LINES)
            with self._lock:
                if not self._begun:
                    self._clock = None
                    return
                if is_terminal:
                    self._draw()
                else:
                    print(f"    {self._steps()}", flush=True)

    def _steps(self) -> str:
        now = time.monotonic()
        return "... " + ", ".join(f"{name} ({duration(now - begun)})" for name, begun in self._begun.items())

    def print(self, text: str) -> None:
        with self._lock:
            self._print(text)

    def _print(self, text: str) -> None:
        clear = "\r\033[K" if sys.stdout.isatty() else ""
        print(f"{clear}{text}", flush=True)
        self._draw()

    def _draw(self) -> None:
        if self._begun and sys.stdout.isatty():
            print(f"\r\033[K{self._steps()}"[:120], end="", flush=True)


_SCREEN = _Screen()
