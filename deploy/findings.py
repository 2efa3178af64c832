"""The input and the findings of the doctor's checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.wording import Message
from deploy.home import Home


@dataclass(frozen=True, slots=True)
class Context:
    """The installation that a check examines, and the environment of the command."""

    home: Home
    environ: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """A problem and its remedy, each in one sentence. id: the same in all releases."""

    id: str
    problem: Message
    remedy: Message


Check = Callable[[Context], Sequence[DoctorFinding]]
