"""The messages between a reading process and whoever has something to read: a crawl, an import, the command line.

They go over a socket pair that no other process holds. The first is Init. Messages are pickled:
both ends are one program of one user, and the process is started without anything of the operator's environment.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.errors import ZhuiwenError
from core.pages import CrawlPlan
from core.wording import Message
from crawler.fetching.resources import ResourceKind

if TYPE_CHECKING:  # who asks need not load what only the process reads with
    from crawler.readers.worker import ReadingSession


class Task(Protocol):
    """Something of a stranger's and what is to be read in it; pickled on its way there, as is what comes of it."""

    @property
    def url(self) -> str:
        """What sentences call it."""
        ...

    def read(self, session: "ReadingSession") -> object:
        """What is in it. Raises errors of ours alone."""
        ...


@runtime_checkable
class HasSimplerReading(Task, Protocol):
    """A task that can be done in another way, which has bounds of its own, where it takes too much."""

    def simpler(self, why: Message) -> Task | None:
        """What to read instead where this was given up; None where this is the simplest."""
        ...


# What the process may write to: 500 MB for what is read, beside the .18 GB that are there before the first page
# (2026-11). What needs more ends the process and nobody else: of two pages each is then read once more, alone.
MAX_MEMORY_BYTES = 680_000_000
MOST_MEMORY_BYTES = 3_000_000_000  # of a process that reads what is larger than any page: the files of works
OUT_OF_MEMORY = 3  # the code that the process then ends with


@dataclass(frozen=True, slots=True)
class Call:
    """A task that a function of ours does with what it is given."""

    url: str
    function: Callable[..., object]
    given: tuple[object, ...] = field(repr=False)

    def read(self, session: object) -> object:
        return self.function(*self.given)


@dataclass(frozen=True, slots=True)
class Init:
    """Whose pages come, if a plan's; the folders of what was learnt of the site, and of what the machine has made.

    max_memory_bytes: up to MOST_MEMORY_BYTES.
    """

    plan: CrawlPlan | None
    templates: Path | None
    cache: Path | None = None
    max_memory_bytes: int = MAX_MEMORY_BYTES


@dataclass(frozen=True, slots=True)
class Job:
    number: int
    task: Task


@dataclass(frozen=True, slots=True)
class Started:
    """The task of this number is being read from now on. thread: by the system's number; cpu_s: what that had used."""

    number: int
    thread: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Answer:
    """fault: what reading it raised, where that is ours to raise; else an error of ours in a sentence."""

    number: int
    result: object
    fault: ZhuiwenError | str | None = None


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """The page at `page_url` refers to `address` and cannot be read without it."""

    number: int
    page_url: str
    address: str
    kind: ResourceKind


@dataclass(frozen=True, slots=True)
class Reply:
    """data None: it cannot or must not be had."""

    number: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded what it needs and waits for Init."""
