"""The interface of all engines: add works, then look up pages.

An engine lives in the memory of one process; it stores nothing and sends nothing.
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
    """A work that an engine reports as the source of a page. similarity: 0 to 1, by the engine's own measure."""

    work_id: str
    similarity: float
    spans: tuple[SharedSpan, ...] = ()


class Engine(Protocol):
    """An engine with its works.

    It accepts any text, including empty texts, texts without Chinese and lone surrogates. A text without features has
    no matches and never raises an error.
    """

    def add_work(self, work_id: str, text: str) -> None:
        """Index a work. Each id is added once; works with equal texts are different works."""

    def find(self, text: str) -> list[EngineMatch]:
        """Return each work that the page duplicates by the engine's published rule, best first."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An engine as listed in the catalogue.

    make: takes the parameters by name, all with defaults. source: the publication. departures: deviations from the
    source, and choices if it is silent. parameters: their meanings. needs_corpus: whether it uses word frequencies in
    the corpus and therefore finds nothing with a single work. gives_spans: whether `find` returns the shared passages.
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
        """The default of each parameter, in order."""
        return {name: parameter.default for name, parameter in signature(self.make).parameters.items()}
