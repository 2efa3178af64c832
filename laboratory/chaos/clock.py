"""A movable clock for the processes of one installation: a library that is loaded before all others."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


@dataclass(frozen=True, slots=True)
class MovableClock:
    """library: preloaded into each process. offset: file with the number of seconds by which the time is moved."""

    library: Path
    offset: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "CHAOS_CLOCK": str(self.offset)}

    def move(self, by_s: float) -> None:
        """Move the time of the processes by that many seconds, within a second. The file is replaced atomically."""
        written = self.offset.with_suffix(".new")
        written.write_text(f"{by_s:+.0f}\n")
        written.replace(self.offset)


def movable_clock(folder: Path) -> MovableClock | None:
    """Return a clock that shows the correct time until it is moved.

    Return None if there is no C compiler, or the system is not Linux.
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
