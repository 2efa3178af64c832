"""The interface of all engines: works are added, then pages are looked up.

An engine runs in the memory of one process. It stores nothing and sends nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, Protocol

from core.text import TextRange
from core.wording import Message


@dataclass(frozen=True, slots=True)
class SharedSpan:
    """A passage that a page and a work share, as offsets of the texts as given."""

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

    It accepts any text, including empty texts, texts without Chinese characters and lone surrogates. A text without
    features has no matches and never causes an error.
    """

    def add_work(self, work_id: str, text: str) -> None:
        """Index a work. Each id is added once; works with equal texts are different works."""

    def find(self, text: str) -> list[EngineMatch]:
        """Return the works that the page duplicates by the engine's published rule, the most similar first."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An engine as listed in the catalogue.

    make: creates the engine; all parameters are keywords with defaults. source: the publication. departures: deviations
    from the source, and choices where the source is silent. parameters: the meaning of each parameter. needs_corpus:
    whether the engine uses word frequencies in the corpus and therefore finds nothing with a single work. gives_spans:
    whether `find` returns the shared passages.
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
        """The default of each parameter, in the order of the parameters."""
        return {name: parameter.default for name, parameter in signature(self.make).parameters.items()}
