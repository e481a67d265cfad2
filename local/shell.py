"""Runs other programs: their output is shown as it comes, their failure is one sentence."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .paths import ROOT, VENV
from .problem import Problem


def require(program: str, hint: str) -> str:
    """The program's path, or a sentence saying how to get it."""
    found = shutil.which(program)
    if found is None:
        raise Problem(f"{program} is not installed: {hint}")
    return found


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The caller's environment with the pinned tools in front."""
    merged = dict(os.environ)
    merged["PATH"] = f"{VENV / 'bin'}{os.pathsep}{merged.get('PATH', os.defpath)}"
    merged.update(extra or {})
    return merged


def run(command: Sequence[str | Path], what: str, extra: Mapping[str, str] | None = None) -> None:
    """Runs to the end; a failure names `what` and leaves the reason to the output above it."""
    words = [str(word) for word in command]
    try:
        code = subprocess.run(words, cwd=ROOT, env=environment(extra), check=False).returncode
    except OSError as error:
        raise Problem(f"{what} failed: {words[0]} cannot be run ({error.strerror})") from error
    if code != 0:
        raise Problem(f"{what} failed, see above: `{' '.join(words)}` ended with {code}")


def run_quietly(command: Sequence[str | Path], what: str, extra: Mapping[str, str] | None = None) -> None:
    """The same for programs that say much: what they said is shown when they fail."""
    done = capture(command, extra)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="", end="", flush=True)
        raise Problem(f"{what} failed, see above")


def capture(command: Sequence[str | Path], extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Runs to the end and hands back output and exit code; the caller judges."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=environment(extra), capture_output=True, text=True, check=False)
