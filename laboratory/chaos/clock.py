"""A clock that can be moved, for the processes of one installation: a library that is loaded before all others."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


@dataclass(frozen=True, slots=True)
class MovableClock:
    """library: what is loaded into a process; offset: the file that says by how many seconds its time is moved."""

    library: Path
    offset: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(self.offset)}

    def move(self, by_s: float) -> None:
        """Let the processes see a time so much later within a second; at one stroke, since they read at any moment."""
        written = self.offset.with_suffix(".new")
        written.write_text(f"{by_s:+.0f}\n")
        written.replace(self.offset)


def movable_clock(folder: Path) -> MovableClock | None:
    """Return a clock that shows the right time so far.

    None where there is no C compiler or another system than Linux.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    made = MovableClock(folder / "clock.so", folder / "clock")
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(made.library), str(_SOURCE)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return None
    made.move(0.0)
    return made
