"""What the reading process is asked to read."""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from core.wording import Message

if TYPE_CHECKING:  # who asks need not load what only the process reads with
    from crawler.readers.desk import Desk


class Task(Protocol):
    """Something of a stranger's and what is to be read in it; pickled on its way there, as is what comes of it."""

    @property
    def url(self) -> str:
        """What sentences call it."""
        ...

    def read(self, desk: "Desk") -> object:
        """What is in it. Raises errors of ours alone."""
        ...


@runtime_checkable
class HasSimplerReading(Task, Protocol):
    """A task that can be done in another way, which has bounds of its own, where it takes too much."""

    def simpler(self, why: Message) -> Task | None:
        """What to read instead where this was given up; None where this is the simplest."""
        ...
