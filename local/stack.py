"""Puts the stack up, says where it is, takes it down."""

import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode

from . import aws, emulator, valkey
from .build import build
from .package import TEMPLATE, package
from .paths import COMMAND_LINE, FUNCTIONS, REGION, ROOT, STACK_NAME, STATE, VENV, credentials, endpoint
from .problem import Problem
from .console import say, step
from .shell import run_quietly
from .tools import ensure

FILE = STATE / "stack.json"
CONFIG = ROOT / "samconfig.toml"


@dataclass(frozen=True)
class Stack:
    """Where the parts of the deployed stack are; the field names are those of `.local/stack.json`."""

    stackName: str
    region: str
    #: Every request to AWS goes here, and every one to the API, with the header `Host: {apiHost}`, by which the emulator tells APIs apart.
    apiUrl: str
    apiHost: str
    functions: dict[str, str]
    #: Those of the template.
    outputs: dict[str, str]
    #: Empty without a second cache tier.
    cacheUrl: str
    #: The program `taxonomy`.
    commandLine: str


def up(second_tier: bool = False, parameters: Sequence[str] = ()) -> Stack:
    """Emulator, build, deployment with further parameters, and a second cache tier where one is wanted; each is quick when there is nothing to do."""
    programs = _programs_and_emulator()
    further = list(parameters)
    if second_tier:
        valkey.start()
        further.append(f"CacheUrl={valkey.url()}")
    with step("Deploying template.yaml by sam deploy"):
        # The file is named, because `sam` looks for it beside the template.
        files: list[str | Path] = ["--config-file", CONFIG, "--template-file", TEMPLATE]
        command: list[str | Path] = [VENV / "bin" / "sam", "deploy", "--config-env", "local"]
        run_quietly([*command, *files, "--parameter-overrides", *local_parameters(), *further], "sam deploy", credentials())
    stack = describe(STACK_NAME, valkey.url() if second_tier else "", programs[COMMAND_LINE])
    record(stack)
    return stack


def local_parameters() -> list[str]:
    """Those of the environment `local`. They are given again with further ones, which replace those of the file."""
    local = CONFIG.read_text().partition("[local.global.parameters]")[2]
    found = re.search(r"^parameter_overrides = (\[.*\])$", local, re.MULTILINE)
    if found is None:
        raise Problem(f"{CONFIG.name} has no parameter_overrides for the environment `local`")
    parameters: list[str] = json.loads(found[1])
    return parameters


@contextmanager
def running(second_tier: bool = False) -> Iterator[Stack]:
    """The stack that is up, or one that is put up for the block and taken down after it."""
    if is_up():
        here = load()
        if second_tier and not here.cacheUrl:
            raise Problem("the stack that is up has no second tier of caches: `make down` first")
        yield here
        return
    try:
        yield up(second_tier)
    finally:
        down()


def explorer_of(stack: Stack, tenant: str, term: str) -> str:
    """The address of a term in the explorer."""
    return f"{stack.outputs['ExplorerUrl']}?{urlencode({'tenant': tenant, 'term': term})}"


def _programs_and_emulator() -> dict[str, Path]:
    """Builds, and meanwhile installs the tools and starts the emulator. Where either fails, no emulator is left that was not there before."""
    is_kept = emulator.is_kept()
    try:
        with ThreadPoolExecutor(1) as pool:
            started = pool.submit(_install_and_start, is_kept)
            programs = build()
            package(programs)
        started.result()
    except BaseException:
        if not is_kept:
            emulator.stop()
        raise
    return programs


def _install_and_start(is_kept: bool) -> None:
    ensure()
    if not is_kept:
        emulator.start()


def down() -> None:
    """Everything the stack held goes with the emulator."""
    valkey.stop()
    say("Stopped the emulator; nothing is left of the stack" if emulator.stop() else "The stack was not up")


def is_up() -> bool:
    """Whether `load` would succeed."""
    return emulator.running() and FILE.exists()


def load() -> Stack:
    """The stack that `up` left running."""
    if not is_up():
        raise Problem("the stack is not up: run `make up` first")
    return Stack(**json.loads(FILE.read_text()))


def describe(stack_name: str, cache_url: str, command_line: Path) -> Stack:
    """A deployed stack, by its outputs."""
    outputs = aws.stack_outputs(stack_name)
    functions = {name: outputs[f"{name.capitalize()}Name"] for name in FUNCTIONS}
    return Stack(stack_name, REGION, endpoint(), outputs["ApiUrl"].split("://", 1)[1], functions, outputs, cache_url, str(command_line))


def record(stack: Stack, file: Path = FILE) -> None:
    """Writes down where a stack is, for the tests of it."""
    file.write_text(json.dumps(asdict(stack), indent=2) + "\n")
