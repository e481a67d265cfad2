"""Archives whose bytes follow from their content alone: no time of a build, no owner, files in the order of their names."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

#: The first moment that a zip can name; a tar has no time either.
EPOCH = (1980, 1, 1, 0, 0, 0)
EXECUTABLE, READABLE = 0o755, 0o644


def zip_of(program: Path, name: str) -> bytes:
    """A zip that holds one program."""
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.create_system = 3
    entry.external_attr = (0o100000 | EXECUTABLE) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(entry, program.read_bytes(), compresslevel=9)
    return packed.getvalue()


def tar_of(folder: Path) -> bytes:
    """A tar, packed by gzip, of a folder with its name."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(str(path.relative_to(folder.parent)))
                entry.size = path.stat().st_size
                entry.mode = EXECUTABLE if path.stat().st_mode & 0o100 else READABLE
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    return gzip.compress(tar.getvalue(), compresslevel=9, mtime=0)


def digest(content: bytes) -> str:
    """SHA-256, as hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def checksums(folder: Path) -> str:
    """A line for each file of the folder, as `sha256sum --check` reads it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{digest(path.read_bytes())}  {path.relative_to(folder)}\n" for path in files)
