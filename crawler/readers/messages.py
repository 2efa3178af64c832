"""Messages between a reading process and its callers: a crawl, an import, the command line.

They are sent over a socket pair that no other process has. The first message is Init, followed by one Job at a time.
Messages are pickled: both ends belong to one program of one user, and the process starts without the operator's
environment.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.errors import ZhuiwenError
from core.pages import CrawlPlan
from core.wording import Message
from crawler.fetching.resources import ResourceKind

if TYPE_CHECKING:  # callers do not import what only the reading process uses
    from crawler.readers.worker import ReadingSession


class Task(Protocol):
    """Untrusted data, and the method that reads it. The task and its result are pickled."""

    @property
    def url(self) -> str:
        """The name of the data for messages."""
        ...

    def run(self, session: "ReadingSession") -> object:
        """Read the data and return the result. Raises only errors of this product."""
        ...


@runtime_checkable
class HasSimplerReading(Task, Protocol):
    """A task with a simpler way of reading, with its own limits.

    It is used for data that takes too much time or memory.
    """

    def simplify(self, reason: Message) -> Task | None:
        """Return the simpler task, or None if this is the simplest. reason: why this task was abandoned."""
        ...


# Writable memory of the process: 500 MB for the data, in addition to the .18 GB that it uses before the first page
# (2026-11).
MAX_MEMORY_BYTES = 680_000_000
MOST_MEMORY_BYTES = 3_000_000_000  # for data that is larger than any page: the files of works
OUT_OF_MEMORY = 3  # the exit code of the process if memory is exhausted


@dataclass(frozen=True, slots=True)
class Call:
    """A task that calls a function of this product with the given arguments."""

    url: str
    function: Callable[..., object]
    given: tuple[object, ...] = field(repr=False)

    def run(self, session: object) -> object:
        return self.function(*self.given)


@dataclass(frozen=True, slots=True)
class Init:
    """The first message: the plan or None, and the folders of the site's templates and the machine's cache.

    max_memory_bytes: at most MOST_MEMORY_BYTES
    """

    plan: CrawlPlan | None
    templates: Path | None
    cache: Path | None = None
    max_memory_bytes: int = MAX_MEMORY_BYTES


@dataclass(frozen=True, slots=True)
class Job:
    """A task to read. max_cpu_s: the CPU seconds after which the process is terminated; infinity for no limit."""

    task: Task
    max_cpu_s: float


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The result of a task.

    fault: the error that reading raised, as text if it is not an error of this product; None without an error
    """

    result: object
    fault: ZhuiwenError | str | None = None


@dataclass(frozen=True, slots=True)
class ResourceRequest:
    """A request for a resource of the page. The reply is its bytes, or None if there are none."""

    address: str
    kind: ResourceKind


@dataclass(frozen=True, slots=True)
class Ready:
    """A message that the process has loaded its modules and Init, and waits for tasks."""
