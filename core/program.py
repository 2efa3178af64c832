"""The version of the program, and a digest of all its files that anybody can recompute.

    find PACKAGES -type f -not -path '*/__pycache__/*' | LC_ALL=C sort | xargs sha256sum | sha256sum

prints the same digest in the folder of the packages. Compiled files are left out.
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
    """Return the installed version of the product, as quoted in evidence, or "source" if it is not installed."""
    try:
        return version("zhuiwen")
    except PackageNotFoundError:
        return "source"


def files_digest(folder: Path = FOLDER) -> tuple[Digest, int]:
    """Return the digest of the list of the program's files, and their number.

    Raises OSError if a file cannot be read.
    """
    lines = [f"{_file_digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in _package_files(folder)]
    return Digest(sha256("".join(lines).encode()).hexdigest()), len(lines)


def _package_files(folder: Path) -> Iterator[Path]:
    """Return an iterator over the files of the packages, in byte order of their names."""
    paths = [path for package in PACKAGES for path in (folder / package).rglob("*") if path.is_file()]
    source_paths = (path for path in paths if _COMPILED not in path.parts)
    return iter(sorted(source_paths, key=lambda path: path.relative_to(folder).as_posix().encode()))


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
