"""The environment of a process that is started to read what is hostile."""

import os
import sys
from pathlib import Path

_KEPT = ("PATH", "LANG", "HOME")
_ROOT = Path(__file__).resolve().parents[1]


def child_environment() -> dict[str, str]:
    """Nothing of the operator's: whoever broke out of such a process would find no secrets there."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
