"""Finds circles between the source files of a package: files that depend on each other, so that none can be read first.

A file depends on another one if it names an item that the other one defines: in a `use`, or by a path. A name that is re-exported counts as the
one of the file that defines it, and a `pub use` alone is no dependency: a module may show its children's items.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from local.console import say
from local.paths import ROOT
from local.problem import Problem

Name = tuple[str, ...]

#: Literals and comments, in which no code is. A lifetime such as `'a` is neither.
_NO_CODE = re.compile(r"//[^\n]*|r(#*)\".*?\"\1|\"(?:\\.|[^\"\\])*\"|'(?:\\[^\n]+?|[^\\'\n])'", re.DOTALL)
_TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+\s*([;{])")
_CHILD = re.compile(r"\bmod (\w+);")
_USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
_ITEM = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe)\s+)*(?:fn|struct|enum|trait|type|const|static|macro_rules!)\s+(\w+)", re.MULTILINE)
_PATH = re.compile(r"(?<![\w:$])[a-z_]\w*(?:::\w+)+")
_VISIBILITY = re.compile(r"\bpub\([^)]*\)")
#: Re-exports of re-exports are followed so far.
_STEPS = 12


@dataclass
class Module:
    """A file of a package."""

    name: Name
    file: Path
    children: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    #: The paths of `use`, each with the name that it gives, and whether it is a `pub use`.
    uses: list[tuple[Name, str, bool]] = field(default_factory=list)
    paths: list[Name] = field(default_factory=list)


def check() -> None:
    """Raises a problem that names each circle."""
    packages = sorted({manifest.parent for manifest in ROOT.glob("*/Cargo.toml")} | {manifest.parent for manifest in ROOT.glob("*/*/Cargo.toml")})
    packages = [package for package in packages if (package / "src").is_dir()]
    found = [circle for package in packages for circle in circles(package / "src")]
    for circle in found:
        say("    " + " -> ".join(str(file.relative_to(ROOT)) for file in circle))
    if found:
        raise Problem(f"{len(found)} circles between source files")
    say(f"    no circle between the source files of {len(packages)} packages")


def circles(folder: Path) -> list[list[Path]]:
    """Returns the files of each circle of a package, by its folder `src`."""
    found = []
    for root in (folder / "lib.rs", folder / "main.rs"):
        if root.exists():
            modules = {module.name: module for module in _read(root, (), folder)}
            edges = {name: set(_dependencies(module, modules)) - {name} for name, module in modules.items()}
            found += [[modules[name].file for name in circle] for circle in _components(edges)]
    return found


def _read(file: Path, name: Name, folder: Path) -> Iterator[Module]:
    """Reads a file and those of its child modules, which are in `folder`."""
    text = _without_tests(_NO_CODE.sub('""', file.read_text()))
    module = Module(name, file, items=set(_ITEM.findall(text)))
    for public, tree in _USE.findall(text):
        module.uses += [(path, alias, bool(public)) for path, alias in _names(tree)]
    body = _VISIBILITY.sub("pub", _USE.sub("", text))
    module.paths = [tuple(path.split("::")) for path in _PATH.findall(body)]
    for child in _CHILD.findall(text):
        found = next((path for path in (folder / f"{child}.rs", folder / child / "mod.rs") if path.exists()), None)
        if found is not None:
            module.children.add(child)
            yield from _read(found, (*name, child), folder / child)
    yield module


def _without_tests(text: str) -> str:
    """Removes modules of tests, which may use everything."""
    while found := _TESTS.search(text):
        end = found.end()
        depth = 1 if found[1] == "{" else 0
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: found.start()] + text[end:]
    return text


def _names(tree: str) -> Iterator[tuple[Name, str]]:
    """Returns the paths of a `use`, each with the name that it gives."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if not brace:
        path, _, alias = tree.partition(" as ")
        name = tuple(part.strip() for part in path.split("::"))
        if name[-1] == "self" and len(name) > 1:
            name = name[:-1]
        yield name, alias.strip() or name[-1]
        return
    depth, start = 0, 0
    inner = rest.rpartition("}")[0] + ","
    for at, character in enumerate(inner):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            if part := inner[start:at].strip():
                yield from _names(head + part)
            start = at + 1


def _dependencies(module: Module, modules: dict[Name, Module]) -> Iterator[Name]:
    """Returns the modules that define what a module uses."""
    named = [path for path, _, public in module.uses if not public] + module.paths
    for path in named:
        found = _definition(module, path, modules, _STEPS)
        if found is not None and (found[1] or path[-1] == "*"):
            yield found[0]


def _definition(module: Module, path: Name, modules: dict[Name, Module], steps: int) -> tuple[Name, bool] | None:
    """Returns the module that a path leads to, and whether the path names an item of it; none for a path out of the package."""
    if steps == 0:
        return None
    start, rest = module.name, path
    if path[0] == "crate":
        start, rest = (), path[1:]
    elif path[0] == "self":
        rest = path[1:]
    elif path[0] == "super":
        while rest and rest[0] == "super":
            start, rest = start[:-1], rest[1:]
    elif path[0] not in module.children:
        imported = next((name for name, alias, _ in module.uses if alias == path[0] and name != path), None)
        if imported is None or len(path) == 1:
            return None
        found = _definition(module, imported, modules, steps - 1)
        if found is None or found[1]:
            return found
        start, rest = found[0], path[1:]
    return _inside(start, rest, modules, steps)


def _inside(start: Name, rest: Name, modules: dict[Name, Module], steps: int) -> tuple[Name, bool] | None:
    """Returns the module that a path inside a module leads to."""
    module = modules.get(start)
    if module is None:
        return None
    if not rest or rest[0] == "*":
        return start, False
    if rest[0] in module.children and (found := _inside((*start, rest[0]), rest[1:], modules, steps)):
        return found
    if rest[0] in module.items:
        return start, True
    for path, alias, public in module.uses:
        if alias == rest[0]:
            found = _definition(module, path, modules, steps - 1)
            if found and not found[1] and len(rest) > 1:
                return _inside(found[0], rest[1:], modules, steps - 1)
            return found
        if alias == "*" and public:
            found = _definition(module, path, modules, steps - 1)
            inner = found and _inside(found[0], rest, modules, steps - 1)
            if inner:
                return inner
    return None


def _components(edges: dict[Name, set[Name]]) -> list[list[Name]]:
    """Returns the sets of modules that reach each other."""
    reached = {name: _reach(name, edges) for name in edges}
    found: list[list[Name]] = []
    for name in sorted(edges):
        circle = sorted(other for other in reached[name] if name in reached.get(other, set()))
        if len(circle) > 1 and circle not in found:
            found.append(circle)
    return found


def _reach(start: Name, edges: dict[Name, set[Name]]) -> set[Name]:
    seen: set[Name] = set()
    waiting = [start]
    while waiting:
        for name in edges.get(waiting.pop(), set()) - seen:
            seen.add(name)
            waiting.append(name)
    return seen
