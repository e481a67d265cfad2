"""Runs the command line `taxonomy` over the stack on this machine."""

import shlex
import subprocess
from pathlib import Path

from .paths import ROOT, STACK_NAME, credentials
from .problem import Problem
from .console import say
from .shell import environment
from .stack import Stack


def variables(stack: Stack) -> dict[str, str]:
    """The environment in which `taxonomy` finds the stack."""
    return credentials() | {"AWS_REGION": stack.region, "TAXONOMY_STACK": STACK_NAME}


def show_environment(stack: Stack) -> None:
    """Prints the environment as a shell reads it, and where the shell finds `taxonomy`: `eval "$(make -s env)"`."""
    for name, value in variables(stack).items():
        say(f"export {name}={shlex.quote(value)}")
    say(f'export PATH={shlex.quote(str(Path(stack.commandLine).parent))}:"$PATH"')


def taxonomy(stack: Stack, *arguments: str, stdin: Path | None = None) -> None:
    """Prints a command, runs it from the project's folder, and lets it write to the terminal. Any exit code but 0 is a `Problem`."""
    words = shlex.join(["taxonomy", *arguments])
    say(f"$ {words}{f' < {stdin.relative_to(ROOT)}' if stdin else ''}")
    with open(stdin or "/dev/null", encoding="utf-8") as source:
        command = [stack.commandLine, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment(variables(stack)), stdin=source, check=False)
    if done.returncode:
        raise Problem(f"`{words}` ended with {done.returncode}")
