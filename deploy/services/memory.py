"""What processes and their descendants hold of the machine's memory, pages that several share counted once."""

from collections.abc import Iterable, Mapping
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = 4096  # of the fall-back's file; smaller than it is on machines with larger pages


def held_mb(pids: Iterable[int]) -> dict[int, float | None]:
    """MB held by each of these and its descendants; None for one that is gone.

    The proportional set size: a page that n processes share counts an n-th in each. Of a process that may not be looked
    at so closely, its resident memory, which counts such pages in full.
    """
    children = _children()
    return {pid: _family_mb(pid, children) for pid in pids}


def _family_mb(pid: int, children: Mapping[int, list[int]]) -> float | None:
    if not (_PROC / str(pid)).exists():
        return None
    family, total = [pid], 0
    for each in family:
        family += children.get(each, [])
        total += _held_bytes(each)
    return round(total / 1e6, 1)


def _held_bytes(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "smaps_rollup").read_text("ascii").splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, ValueError):
        return _resident_bytes(pid)


def _resident_bytes(pid: int) -> int:
    try:
        return int((_PROC / str(pid) / "statm").read_text("ascii").split()[1]) * _PAGE_BYTES
    except (OSError, ValueError):
        return 0


def _children() -> dict[int, list[int]]:
    """The children of every process of the machine."""
    found: dict[int, list[int]] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            try:
                # The name, in parentheses, may hold anything; state and parent follow.
                parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            found.setdefault(parent, []).append(int(folder.name))
    return found
