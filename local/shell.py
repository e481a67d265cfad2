"""Runs other programs: their output goes to a file, and its end is shown when they fail."""

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

from .paths import LOGS, ROOT, VENV
from .problem import Problem, Stopped
from .console import say

#: A compiler's error is at the end of its output; the rest stays in the file.
LINES_SHOWN = 60


def require(program: str, hint: str) -> str:
    """The program's path, or a sentence saying how to get it."""
    found = shutil.which(program)
    if found is None:
        raise Problem(f"{program} is not installed: {hint}")
    return found


def cargo() -> str:
    """The path of cargo. Every build needs a C compiler as well, for the linking."""
    require("cc", "install a C compiler (package gcc)")
    return require("cargo", "install Rust from https://rustup.rs, the version is in rust-toolchain.toml")


def locked() -> list[str]:
    """The option of cargo for the lock file: a person's may still be about to change, a checked-in one may not."""
    return ["--locked"] if os.environ.get("CI") else []


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment with the pinned tools in front."""
    merged = dict(os.environ)
    merged["PATH"] = f"{VENV / 'bin'}{os.pathsep}{merged.get('PATH', os.defpath)}"
    merged.update(extra or {})
    return merged


def run_quietly(command: Sequence[str | Path], what: str, extra: Mapping[str, str] | None = None) -> str:
    """Runs to the end and returns standard output. A failure names `what` and shows the end of the output; all of it is in a file."""
    words = [str(word) for word in command]
    process = _CHILDREN.start(words, what, environment(extra))
    try:
        output, errors = process.communicate()
    finally:
        _CHILDREN.forget(process)
    if process.returncode == 0:
        return output
    if _CHILDREN.ended:
        raise Stopped(f"{what} was stopped, since another step failed")
    log = _write_log(what, words, output + errors)
    # Without what cargo writes for programs.
    lines = [line for line in (output + errors).splitlines() if not line.startswith('{"reason":')]
    say("\n".join(f"    {line}" for line in lines[-LINES_SHOWN:]))
    raise Problem(f"{what} failed with exit code {process.returncode}, see above; all of the output is in {log.relative_to(ROOT)}")


def _write_log(what: str, words: Sequence[str], output: str) -> Path:
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{re.sub(r'[^a-z0-9]+', '-', what.lower()).strip('-')}.log"
    log.write_text(f"{' '.join(words)}\n{output}")
    return log


def side_by_side(*tasks: Callable[[], object]) -> None:
    """Runs each task in a thread. The first failure ends the programs that the other tasks run, and is raised."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        except BaseException:
            _CHILDREN.end()
            raise
        failed = [error for future in done if (error := future.exception())]
        if failed:
            _CHILDREN.end()
    if failed:
        raise failed[0]


def capture(command: Sequence[str | Path], extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs to the end and hands back output and exit code; the caller judges."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=environment(extra), capture_output=True, text=True, check=False)


def command_of(pid: int) -> str:
    """The command line of a process; empty where it has ended."""
    ps = require("ps", "install it (package procps)")
    state, _, command = capture([ps, "-o", "stat=,args=", "-p", str(pid)]).stdout.strip().partition(" ")
    return "" if state.startswith("Z") else command.strip()


class _Children:
    """The programs that run, so that a failure beside them can end them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self.ended = False

    def start(self, words: list[str], what: str, variables: dict[str, str]) -> subprocess.Popen[str]:
        with self._lock:
            if self.ended:
                raise Stopped(f"{what} was not begun, since another step failed")
            try:
                process = subprocess.Popen(
                    words,
                    cwd=ROOT,
                    env=variables,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                )
            except OSError as error:
                raise Problem(f"{what} failed: {words[0]} cannot be run ({error.strerror})") from error
            self._running.add(process)
            return process

    def forget(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._running.discard(process)

    def end(self) -> None:
        """The command is over after this: nothing else is begun."""
        with self._lock:
            self.ended = True
            for process in self._running:
                process.terminate()


_CHILDREN = _Children()
