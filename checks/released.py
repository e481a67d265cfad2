"""The proof of a release: it is deployed from its unpacked archive, without Rust."""

import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from local import emulator
from local.console import step
from local.paths import BUILD, ROOT, STATE, VENV, credentials
from local.problem import Problem
from local.shell import run_quietly
from local.stack import describe, local_parameters, record
from local.tools import ensure
from release import make

from . import sam_local, suite, unittests
from .outcome import Outcome

FOLDER = unittests.TESTS / "release"
STACK_NAME = "taxonomy-release"
FILE = STATE / "release.json"


def prove() -> Outcome:
    """Makes a release as AWS gets it, deploys its archive, and runs its functions under `sam local invoke`."""
    made = make.make()
    with _emulator():
        # Only a build as AWS gets it shows how much memory a function takes there.
        return deployed(made, [*unittests.modules(FOLDER), "test_cold"]) + sam_local.prove(BUILD / "template.yaml", is_released=True)


def deployed(made: make.Release, tests: Sequence[str]) -> Outcome:
    """Unpacks an archive into an empty folder, deploys it from there, and runs tests over it."""
    ensure("deploying")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(made.archive) as archive:
            archive.extractall(folder, filter="data")
        unpacked = Path(folder) / made.folder.name
        _deploy(unpacked)
        record(describe(STACK_NAME, "", unpacked / "bin" / "taxonomy"), FILE)
        # The project's own folder, for the modules of `local` that install packages of npm.
        folders = [FOLDER, *suite.FOLDERS, ROOT]
        return unittests.run(tests, folders, {"RELEASE": str(unpacked), "STACK_FILE": str(FILE)})


@contextmanager
def _emulator() -> Iterator[None]:
    is_kept = emulator.is_kept()
    if not is_kept:
        emulator.start()
    try:
        yield
    finally:
        if not is_kept:
            emulator.stop()


def _deploy(unpacked: Path) -> None:
    """By the SAM CLI alone: nothing else is on the path."""
    environment = credentials() | {"PATH": str(VENV / "bin")}
    if shutil.which("cargo", path=environment["PATH"]):
        raise Problem("cargo is on the path of the deployment")
    words: list[str | Path] = [VENV / "bin" / "sam", "deploy", "--template-file", unpacked / "template.yaml", "--stack-name", STACK_NAME]
    words += ["--region", credentials()["AWS_DEFAULT_REGION"], "--resolve-s3", "--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset"]
    parameters = [parameter for parameter in local_parameters() if not parameter.startswith("Architecture=")]
    with step("Deploying the unpacked release by sam deploy"):
        run_quietly([*words, "--no-fail-on-empty-changeset", "--parameter-overrides", *parameters], "sam deploy", environment)
