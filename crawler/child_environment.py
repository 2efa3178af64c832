"""The environment of a process that reads hostile input."""

import os
import sys
from pathlib import Path

_KEPT = ("PATH", "LANG", "HOME")
_ROOT = Path(__file__).resolve().parents[1]


def child_environment() -> dict[str, str]:
    """Return an environment without secrets: code that breaks out of such a process finds none there."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
