"""Messages between a reading process and its callers: a crawl, an import, the command line.

They go over a socket pair that no other process holds. The first is Init. Messages are pickled: both ends are one
program of one user, and the process starts without the operator's environment.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.errors import ZhuiwenError
from core.pages import CrawlPlan
from core.wording import Message
from crawler.fetching.resources import ResourceKind

if TYPE_CHECKING:  # callers need not load what only the process reads with
    from crawler.readers.worker import ReadingSession


class Task(Protocol):
    """A stranger's data with the way to read it; both the task and its result are pickled."""

    @property
    def url(self) -> str:
        """Name of the data in messages."""
        ...

    def run(self, session: "ReadingSession") -> object:
        """Read the data. Raises only errors of this product."""
        ...


@runtime_checkable
class HasSimplerReading(Task, Protocol):
    """A task that can be read in a simpler way, with bounds of its own, where it takes too much."""

    def simplify(self, reason: Message) -> Task | None:
        """Return the task to read instead where this was given up; None if this is the simplest."""
        ...


# Writable memory of the process: 500 MB for what is read, beside the .18 GB that are there before the first page
# (2026-11). A page that needs more ends the process and no other: of two pages each is then read once more, alone.
MAX_MEMORY_BYTES = 680_000_000
MOST_MEMORY_BYTES = 3_000_000_000  # of a process that reads what is larger than any page: the files of works
OUT_OF_MEMORY = 3  # the code that the process then ends with


@dataclass(frozen=True, slots=True)
class Call:
    """A task that calls a function of this product with given arguments."""

    url: str
    function: Callable[..., object]
    given: tuple[object, ...] = field(repr=False)

    def run(self, session: object) -> object:
        return self.function(*self.given)


@dataclass(frozen=True, slots=True)
class Init:
    """First message: the plan whose pages come, if any; the folders of the site's templates and of the machine's cache.

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
    """The process begins to read the task of this number. thread: the system's id; cpu_s: its processor time so far."""

    number: int
    thread: int
    cpu_s: float


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of a task. fault: the error that reading raised, as an object if it is of this product, else as text."""

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
class ResourceReply:
    """Data for a ResourceRequest; None if it cannot or must not be fetched."""

    number: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded what it needs and waits for Init."""
