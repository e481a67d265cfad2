"""Puts the programs where `sam deploy` takes them from: a folder for each function, and the template that names the folders.

`sam build` leaves the same in `.aws-sam/build`, with the programs for AWS in it; the two never mix."""

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from .paths import PACKAGE, ROOT
from .problem import Problem
from .console import step
from .shell import run_quietly

TEMPLATE = PACKAGE / "template.yaml"
METHOD = "BuildMethod: rust-cargolambda"
#: The head of a function that `sam build` would build: its logical id, the program that it runs, and where its properties begin.
FUNCTION = re.compile(
    rf"^  (?P<id>\w+):\n(?:    .*\n)*?    Metadata:\n      {METHOD}\n      BuildProperties: {{ Binary: (?P<program>\w+) }}\n    Properties:\n",
    re.MULTILINE,
)


def package(programs: Mapping[str, Path]) -> None:
    """The template is that of the project, but for the folder of each function's code."""
    template, functions = with_folders((ROOT / "template.yaml").read_text())
    with step("Packaging the functions"):
        for logical_id, name in functions.items():
            bootstrap = PACKAGE / logical_id / "bootstrap"
            bootstrap.parent.mkdir(parents=True, exist_ok=True)
            copy_stripped(programs[name], bootstrap)
        TEMPLATE.write_text(template)


def with_folders(template: str) -> tuple[str, dict[str, str]]:
    """The template with a line `CodeUri` for each function, and the program of each function by logical id."""
    functions = {found["id"]: found["program"] for found in FUNCTION.finditer(template)}
    return with_code(template, lambda logical_id, _: logical_id), functions


def with_code(template: str, code: Callable[[str, str], str]) -> str:
    """The template with a line `CodeUri` for each function, whose value `code` gives for its logical id and its program."""
    functions = len(FUNCTION.findall(template))
    if not functions or functions != template.count(METHOD):
        raise Problem(f"template.yaml declares {template.count(METHOD)} functions, of which local/package.py can read {functions}")
    return FUNCTION.sub(lambda found: f"{found[0]}      CodeUri: {code(found['id'], found['program'])}\n", template)


def copy_stripped(program: Path, copy: Path) -> None:
    """Copies a program without its debug information, which is most of a debug build and is packed and uploaded else."""
    if shutil.which("strip"):
        run_quietly(["strip", "--strip-debug", "-o", copy, program], f"Stripping {program.name}")
    else:
        shutil.copy2(program, copy)
