"""Checks the dependencies of the functions, which leave out the costly defaults of the SDK, and of the pure crates, which leave out all of it."""

from collections.abc import Iterable

from local.console import say
from local.paths import FUNCTIONS
from local.problem import Problem
from local.shell import capture, cargo

#: docs/decisions/0004-lean-aws-stack.md says what each costs.
DEAR = ("aws-lc-rs", "hyper@0.14", "rustls@0.21")
PURE_CRATES = ("taxonomy-keys", "taxonomy-model", "taxonomy-index", "taxonomy-formats", "taxonomy-import", "taxonomy-search", "taxonomy-http", "taxonomy-pages")
IMPURE = ("aws-", "aws_", "tokio", "lambda_")


def check() -> None:
    """Refuses a wrong dependency. It reads what cargo resolves and not Cargo.toml: the unification of features switches defaults on again silently."""
    cargo()
    found = [*_dear_in_functions(), *_inexact_in_functions(), *_impure_in_pure_crates(), *_built_twice()]
    for line in found:
        say(f"    {line}")
    if found:
        raise Problem(f"{len(found)} dependencies are not as they must be")
    say(f"    {', '.join(FUNCTIONS)}: none of {', '.join(DEAR)}; {', '.join(PURE_CRATES)}: no AWS, no async")
    say("    no dependency is built twice for `make up` and `make test`")


def _dear_in_functions() -> Iterable[str]:
    for function in FUNCTIONS:
        for package in DEAR:
            tree = capture(["cargo", "tree", "--package", function, "--edges", "normal", "--invert", package])
            if tree.returncode == 0 and tree.stdout.strip():
                yield f"{function} reaches {package}"
            elif tree.returncode != 0 and "did not match any packages" not in tree.stderr:
                raise Problem(f"cargo tree failed for {function}: {tree.stderr.strip().splitlines()[-1]}")


def _inexact_in_functions() -> Iterable[str]:
    """Without `float_roundtrip` serde_json reads one double in three as its neighbour, and one in ten as another again when that is written
    and read: metadata would change from version to version. Dependencies of the tests switch it on, so no test can see that it is missing."""
    for function in FUNCTIONS:
        lines = [line for line in _packages("--package", function, "--edges", "normal") if line.startswith("serde_json ")]
        if not lines or any("float_roundtrip" not in line.partition("|")[2].split(",") for line in lines):
            yield f"{function} reads doubles inexactly: serde_json lacks its feature float_roundtrip"


def _impure_in_pure_crates() -> Iterable[str]:
    for crate in PURE_CRATES:
        names = sorted({line.split()[0] for line in _packages("--package", crate, "--edges", "normal")})
        yield from (f"{crate} reaches {name}" for name in names if name.startswith(IMPURE))


def _built_twice() -> Iterable[str]:
    """`make up` builds with the features of all normal dependencies, `make test` with those of the dev-dependencies too: a dependency of a
    function with other features there would be compiled twice, and the SDK above it. `tests/Cargo.toml` evens them out."""
    in_tests = _packages("--workspace", "--edges", "normal,build,dev")
    for line in sorted(_packages("--workspace", "--edges", "normal,build") - in_tests):
        package, _, features = line.partition("|")
        # The project's own crates carry a path; they are compiled within seconds.
        if "(/" not in package:
            yield f"{package} has other features in `make test`; in `make up`: {features or 'none'}; tests/Cargo.toml can even them out"


def _packages(*selection: str) -> set[str]:
    """Every package of a tree, as `name version|features`."""
    tree = capture(["cargo", "tree", *selection, "--prefix", "none", "--format", "{p}|{f}"])
    if tree.returncode != 0:
        raise Problem(f"cargo tree {' '.join(selection)} failed: {tree.stderr.strip().splitlines()[-1]}")
    return {line.removesuffix(" (*)") for line in tree.stdout.splitlines() if line.strip()}
