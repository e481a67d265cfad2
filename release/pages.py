"""The documents of a release: those of the project, at their places in the archive, with links that lead somewhere there."""

import shutil
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from urllib.parse import unquote

from checks.links import CODE, ELSEWHERE, LINK, prose
from local.paths import ROOT

#: The documents' folder, and that of what deploys, which is the archive's root.
DOCUMENTS, DEPLOYING = "docs", "docs/deploying"
#: A repository that deploys releases; it is copied from the archive.
SAMPLE = "samples/stack"
#: What no document is, and stands somewhere else in the archive.
FILES = {"LICENSE": "LICENSE", "functions/lookup/openapi.json": "docs/openapi.json", "template.yaml": "template.yaml"}
#: Those that `write` copies; the templates are written by others.
WRITTEN_ELSEWHERE = {"template.yaml"}


def places() -> dict[str, str]:
    """The place in the archive of each file of the project that has one."""
    found = dict(FILES)
    for path in sorted(path for folder in (DOCUMENTS, SAMPLE) for path in (ROOT / folder).rglob("*")):
        if path.is_file():
            source = path.relative_to(ROOT).as_posix()
            found[source] = source.removeprefix(f"{DEPLOYING}/")
    return found


def write(folder: Path) -> None:
    """Copies the documents into the folder of a release."""
    here = places()
    for source, place in here.items():
        if source not in WRITTEN_ELSEWHERE:
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            content = (ROOT / source).read_bytes()
            target.write_bytes(_moved(source, content.decode(), here).encode() if source.endswith(".md") else content)
            # Of the sample's script, so that it can be run.
            shutil.copymode(ROOT / source, target)


def _moved(source: str, text: str, here: dict[str, str]) -> str:
    """A document with each link from its place in the archive. A link to what the archive lacks becomes its text."""
    lines = text.splitlines(keepends=True)
    for number, line in prose(lines):
        for inline, _ in LINK.findall(CODE.sub("", line)):
            if not inline or ELSEWHERE.match(inline) or inline.startswith("#"):
                continue
            path, mark, anchor = unquote(inline).partition("#")
            aim = normpath(PurePosixPath(source).parent / path)
            place = here.get(aim) or _folder(aim, here)
            if place is None:
                start = lines[number - 1].index(f"]({inline})")
                opened = lines[number - 1].rindex("[", 0, start)
                words = lines[number - 1][opened + 1 : start]
                lines[number - 1] = f"{lines[number - 1][:opened]}{words}{lines[number - 1][start + len(inline) + 3 :]}"
            else:
                target = relpath(place, str(PurePosixPath(here[source]).parent))
                lines[number - 1] = lines[number - 1].replace(f"]({inline})", f"]({target}{mark}{anchor})", 1)
    return "".join(lines)


def _folder(aim: str, here: dict[str, str]) -> str | None:
    """The place of a folder of documents."""
    inside = [place for source, place in here.items() if source.startswith(f"{aim}/")]
    return aim.removeprefix(f"{DEPLOYING}/") if inside and aim.startswith(DOCUMENTS) else None
