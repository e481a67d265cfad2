"""Proves a release: makes it, unpacks its archive into an empty folder, and deploys it from there to the emulator, without Rust."""

import json
import os
import shutil
import tarfile
import tempfile
from dataclasses import asdict
from pathlib import Path

from local import emulator
from local.console import step
from local.paths import ROOT, STATE, VENV, credentials
from local.problem import Problem
from local.shell import run_quietly
from local.stack import LOCAL_PARAMETERS, describe
from local.tools import ensure_deploying_tools, ensure_python_tools
from release import make

from . import unittests

STACK_NAME = "taxonomy-release"
FILE = STATE / "release.json"
#: Only a build as AWS gets it shows how much memory a function takes there.
MEMORY = "test_cold"


def prove(quick: bool) -> None:
    """Ends with one line of counts. The emulator goes on if it ran before."""
    ensure_python_tools()
    ensure_deploying_tools()
    made = make.make(quick=quick)
    was_running = emulator.running()
    emulator.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(made.archive) as archive:
                archive.extractall(folder, filter="data")
            _test(Path(folder) / made.folder.name, quick)
    finally:
        if not was_running:
            emulator.stop()


def _test(unpacked: Path, quick: bool) -> None:
    _deploy(unpacked)
    running = describe(STACK_NAME, "", unpacked / "bin" / "taxonomy")
    FILE.write_text(json.dumps(asdict(running), indent=2) + "\n")
    folder = ROOT / "tests" / "release"
    modules = sorted(path.stem for path in folder.glob("test_*.py"))
    # The project's own folder, for the modules of `local` that install packages of npm.
    search = (folder, ROOT / "tests" / "e2e", ROOT / "tests" / "prove_api", ROOT)
    variables = {"RELEASE": str(unpacked), "STACK_FILE": str(FILE), "PYTHONPATH": os.pathsep.join(map(str, search)), "PYTHONUNBUFFERED": "1"}
    unittests.run(["-v", *modules, *([] if quick else [MEMORY])], "prove-release", variables)


def _deploy(unpacked: Path) -> None:
    """By the SAM CLI alone: nothing else is on the path."""
    environment = credentials() | {"PATH": str(VENV / "bin")}
    if shutil.which("cargo", path=environment["PATH"]):
        raise Problem("cargo is on the path of the deployment")
    words: list[str | Path] = [VENV / "bin" / "sam", "deploy", "--template-file", unpacked / "template.yaml", "--stack-name", STACK_NAME]
    words += ["--region", credentials()["AWS_DEFAULT_REGION"], "--resolve-s3", "--capabilities", "CAPABILITY_IAM", "--no-confirm-changeset"]
    parameters = [parameter for parameter in LOCAL_PARAMETERS if not parameter.startswith("Architecture=")]
    with step("Deploying the unpacked release by sam deploy"):
        run_quietly([*words, "--no-fail-on-empty-changeset", "--parameter-overrides", *parameters], "sam deploy", environment)
