"""The interface of all engines: works are added, then pages are looked up.

Nothing here stores or sends anything: an engine is held in the memory of one process.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Protocol

from core.text import TextRange
from core.wording import Message


@dataclass(frozen=True, slots=True)
class SharedSpan:
    """A passage that page and work share, in offsets of the texts as given."""

    page: TextRange
    work: TextRange


@dataclass(frozen=True, slots=True)
class EngineMatch:
    """A work that an engine calls the source of a page. similarity: 0 to 1, by the engine's own measure."""

    work_id: str
    similarity: float
    spans: tuple[SharedSpan, ...] = ()


class Engine(Protocol):
    """One engine with the works that were added to it.

    Any text is taken, also an empty one, one without Chinese or with lone surrogates: from what holds no feature
    nothing is found, and it raises nothing.
    """

    def add_work(self, work_id: str, text: str) -> None:
        """Index a work. An id is added once; works with the same text are works of their own."""

    def find(self, text: str) -> list[EngineMatch]:
        """Return the works that duplicate the page by the engine's published rule, each once, the best first."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An engine as the catalogue lists it.

    make: takes the parameters by name, all with defaults. source: the publication. departures: where it does otherwise
    than its source, and what it chose where that is silent. parameters: what each means. needs_corpus: whether it
    judges by how common a word is in the corpus, so that it says nothing of one work alone. gives_spans: whether `find`
    says which passages are shared.
    """

    name: str
    make: Callable[..., Engine]
    summary: Message
    source: str
    departures: tuple[Message, ...]
    parameters: Mapping[str, Message]
    needs_corpus: bool = False
    gives_spans: bool = False

    @property
    def defaults(self) -> dict[str, Any]:
        """The value of each parameter, in order, as the engine is made without any."""
        return {name: parameter.default for name, parameter in signature(self.make).parameters.items()}
