"""Which program this is: its version, and one digest of all its files, which anybody can compute again.

    find PACKAGES -type f -not -path '*/__pycache__/*' | LC_ALL=C sort | xargs sha256sum | sha256sum

in the folder in which its packages lie gives the same digest. Left out is what is compiled on the machine.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import file_digest, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.ids import Digest

PACKAGES = (
    "analytics", "core", "crawler", "deploy", "bundles", "documents", "fingerprint", "matcher", "pagestore",
    "pipeline", "webadmin",
)  # fmt: skip
FOLDER = Path(__file__).resolve().parents[1]
_COMPILED = "__pycache__"


@cache
def code_version() -> str:
    """Return the installed version of the product; evidence quotes it."""
    try:
        return version("zhuiwen")
    except PackageNotFoundError:
        return "source"


def files_digest(folder: Path = FOLDER) -> tuple[Digest, int]:
    """Return the digest of the list of all files of the program, and how many there are. Raises OSError."""
    lines = [f"{_file_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in _files(folder)]
    return Digest(sha256("".join(lines).encode()).hexdigest()), len(lines)


def _files(folder: Path) -> Iterator[Path]:
    """Return all files of the packages, in the order of the bytes of their names."""
    found = [path for package in PACKAGES for path in (folder / package).rglob("*") if path.is_file()]
    kept = (path for path in found if _COMPILED not in path.parts)
    return iter(sorted(kept, key=lambda path: path.relative_to(folder).as_posix().encode()))


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
