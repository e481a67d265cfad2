"""Runs other programs: their output goes to a file, and its end is shown when they fail."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from .paths import LOGS, ROOT, VENV
from .problem import Problem
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
    try:
        done = subprocess.run(
            words, cwd=ROOT, env=environment(extra), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise Problem(f"{what} failed: {words[0]} cannot be run ({error.strerror})") from error
    if done.returncode == 0:
        return done.stdout
    log = _write_log(what, words, done.stdout + done.stderr)
    # Without what cargo writes for programs.
    lines = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith('{"reason":')]
    say("\n".join(f"    {line}" for line in lines[-LINES_SHOWN:]))
    raise Problem(f"{what} failed with exit code {done.returncode}, see above; all of the output is in {log.relative_to(ROOT)}")


def _write_log(what: str, words: Sequence[str], output: str) -> Path:
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{re.sub(r'[^a-z0-9]+', '-', what.lower()).strip('-')}.log"
    log.write_text(f"{' '.join(words)}\n{output}")
    return log


def capture(command: Sequence[str | Path], extra: Mapping[str, str] | None = None, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
    """Runs to the end, within a number of seconds where one is given, and hands back output and exit code; the caller judges."""
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, cwd=ROOT, env=environment(extra), capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise Problem(f"{Path(words[0]).name} {' '.join(words[1:3])} did not end within {seconds} seconds") from error


def follow(command: Sequence[str | Path], extra: Mapping[str, str] | None = None, folder: Path = ROOT, show: Callable[[str], None] = say) -> tuple[list[str], int]:
    """Shows what a program writes, line by line as it comes. Returns the lines, and the exit code."""
    running = subprocess.Popen(command, cwd=folder, env=environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = []
    for line in running.stdout or ():
        lines.append(line.rstrip())
        show(lines[-1])
    return lines, running.wait()


def command_of(pid: int) -> str:
    """The command line of a process; empty where it has ended."""
    ps = require("ps", "install it (package procps)")
    state, _, command = capture([ps, "-o", "stat=,args=", "-p", str(pid)]).stdout.strip().partition(" ")
    return "" if state.startswith("Z") else command.strip()
