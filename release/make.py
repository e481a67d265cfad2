"""Makes a release: what deploys the service without Rust, in one archive (docs/decisions/0023-release.md)."""

import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from checks import links
from local.build import executables
from local.console import say, step
from local.package import copy_stripped
from local.paths import BUILD, COMMAND_LINE, DIST, FUNCTIONS, ROOT, VENV, credentials
from local.problem import Problem
from local.shell import capture, cargo, run_quietly
from local.tools import ensure

from . import cross, pages, templates
from .archive import checksums, digest, tar_of, zip_of
from .glibc import check_c_library, check_static
from .notes import version

#: The names that AWS has for what `uname` calls a machine.
ARCHITECTURES = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
#: Where a shell looks for the completions of `taxonomy`.
COMPLETIONS = {"bash": "taxonomy.bash", "zsh": "_taxonomy", "fish": "taxonomy.fish"}


@dataclass(frozen=True)
class Release:
    """An unpacked release and its archive."""

    folder: Path
    archive: Path


def make() -> Release:
    """Builds everything that a release holds, puts it into `dist/`, and checks it; that of this machine's architecture is returned. The
    other one is made as well where Rust has its targets."""
    (other,) = set(ARCHITECTURES.values()) - {architecture()}
    missing = cross.missing_targets(other)
    if missing:
        say(f"{other} is not made: `rustup target add {' '.join(missing)}` installs what it needs")
    functions = _functions()
    command_line = _command_line()
    shutil.rmtree(DIST, ignore_errors=True)
    made = pack(functions, command_line, DIST)
    if not missing:
        pack(*cross.build(other), DIST, other, command_line)
    return made


def pack(functions: Mapping[str, Path], command_line: Path, dist: Path, of: str = "", speaker: Path | None = None) -> Release:
    """Makes the archive in the folder `dist`, of the program of each function and of the command line, and checks its templates.

    `of` is an architecture, that of this machine by default; `speaker` writes completions and pages where `command_line` is of another one."""
    of = of or architecture()
    name = f"taxonomy-{version()}-{of}"
    with step(f"Packaging {name}"):
        folder = dist / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _write_functions(folder, functions, of)
        _write_command_line(folder, command_line, speaker or command_line)
        pages.write(folder)
        links.check_in(folder, {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()})
        (folder / "SHA256SUMS").write_text(checksums(folder))
        archive = dist / f"{name}.tar.gz"
        packed = tar_of(folder)
        archive.write_bytes(packed)
        archive.with_name(f"{archive.name}.sha256").write_text(f"{digest(packed)}  {archive.name}\n")
    _check_templates(folder)
    say(f"{archive.name}: {len(packed):,} bytes, {sum(path.is_file() for path in folder.rglob('*'))} files")
    return Release(folder, archive)


def _functions() -> dict[str, Path]:
    """The program of each function for this machine's architecture, in `.aws-sam/build`. None needs a newer C library than AWS has."""
    cargo()
    ensure("release")
    environment = credentials()
    with step("Building the functions for AWS by sam build (release profile)"):
        # All at once, because they share most crates: `sam build` builds one after the other, and finds them built.
        binaries = [word for name in FUNCTIONS for word in ("--bin", name)]
        run_quietly([VENV / "bin" / "cargo-lambda", "lambda", "build", "--release", *binaries], "cargo lambda build", environment)
        run_quietly([VENV / "bin" / "sam", "build", "--config-env", "local"], "sam build", environment)
    check_c_library(sorted(BUILD.glob("*/bootstrap")))
    return {name: BUILD / logical_id / "bootstrap" for name, logical_id in FUNCTIONS.items()}


def architecture() -> str:
    """This machine's, by the name that AWS has for it."""
    try:
        return ARCHITECTURES[platform.machine()]
    except KeyError as error:
        raise Problem(f"Lambda runs on no {platform.machine()}") from error


def _command_line() -> Path:
    """`taxonomy` with its C library inside, so that it runs on any Linux of this architecture."""
    words = [cargo(), "build", "--locked", "--workspace", "--bin", COMMAND_LINE, "--release"]
    with step("Building the command line, linked statically (release profile)"):
        wrapper = {"RUSTC_WORKSPACE_WRAPPER": str(Path(__file__).with_name("static.sh"))}
        messages = run_quietly([*words, "--message-format=json-render-diagnostics"], "cargo build", wrapper)
    program = executables(messages, (COMMAND_LINE,))[COMMAND_LINE]
    check_static(program)
    return program


def _write_functions(folder: Path, functions: Mapping[str, Path], of: str) -> None:
    """A zip for each function, whose name follows from its bytes: under the name of another one CloudFormation would see no change."""
    code = {}
    (folder / "functions").mkdir()
    for name in FUNCTIONS:
        packed = zip_of(functions[name], "bootstrap")
        code[name] = f"functions/{name}-{digest(packed)[:12]}.zip"
        (folder / code[name]).write_bytes(packed)
    template = (ROOT / "template.yaml").read_text()
    (folder / "template.yaml").write_text(templates.for_sam(template, code, of))
    (folder / "cloudformation.yaml").write_text(templates.for_cloudformation(template, code, of))


def _write_command_line(folder: Path, program: Path, speaker: Path) -> None:
    for each in ("bin", "completions", "man/man1"):
        (folder / each).mkdir(parents=True)
    released = folder / "bin" / COMMAND_LINE
    if speaker == program:
        copy_stripped(program, released)
    else:
        # The strip of this machine reads no program of another one, and the release profile leaves no debug information.
        shutil.copy2(program, released)
    for shell, name in COMPLETIONS.items():
        script = run_quietly([speaker, "completions", shell], f"taxonomy completions {shell}")
        (folder / "completions" / name).write_text(script)
    run_quietly([speaker, "man", folder / "man" / "man1"], "taxonomy man")


def _check_templates(folder: Path) -> None:
    for template in (folder / "template.yaml", folder / "cloudformation.yaml"):
        with step(f"Checking {template.name} by sam validate and cfn-lint"):
            run_quietly([VENV / "bin" / "sam", "validate", "--lint", "--template-file", template], "sam validate", credentials())
            linted = capture([VENV / "bin" / "cfn-lint", template])
            if linted.returncode:
                raise Problem(f"cfn-lint: {linted.stdout.strip()}")
