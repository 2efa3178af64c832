"""Tasks of the reading process that do what hostile input makes an honest reader do. Imported by the process itself."""

import os
import re
from dataclasses import dataclass

from core.errors import UnreadableFile
from core.pages import Reading
from crawler.opening import Rejected
from crawler.readers.pages import SinglePage
from crawler.readers.worker import ReadingSession


@dataclass(frozen=True)
class Echo:
    """An honest one."""

    url: str

    def run(self, desk: object) -> str:
        return self.url


@dataclass(frozen=True)
class Foreign:
    """One of a module that the process cannot import: it ends before it has begun."""

    url: str

    def __reduce__(self) -> tuple[object, ...]:
        return eval, ("__import__('no_such_module')",)

    def run(self, desk: object) -> None:
        raise AssertionError("it never came here")


@dataclass(frozen=True)
class Spin:
    """Never ends; others go on beside it."""

    url: str

    def run(self, desk: object) -> None:
        while True:
            pass


@dataclass(frozen=True)
class Backtrack:
    """Never ends, and lets nothing else in the process go on: a pattern keeps the interpreter to itself."""

    url: str

    def run(self, desk: object) -> None:
        re.match("(a+)+$", "a" * 60 + "b")


class EndlessPage(SinglePage):
    """A page whose reading never ends."""

    __slots__ = ()

    def run(self, desk: object) -> None:  # type: ignore[override]
        while True:
            pass


class StumblingPage(SinglePage):
    """A page over which the program stumbles, unless it is read by its plain markup."""

    __slots__ = ()

    def run(self, desk: ReadingSession) -> Reading | Rejected:
        if self.given_up is None:
            raise OverflowError("a number beyond all measure")
        return super().run(desk)


@dataclass(frozen=True)
class Devour:
    """Wants more memory than there is for it."""

    url: str

    def run(self, desk: object) -> int:
        return len(bytearray(8_000_000_000))


@dataclass(frozen=True)
class Die:
    """Ends the process, as a fault in a library does."""

    url: str

    def run(self, desk: object) -> None:
        os._exit(11)


@dataclass(frozen=True)
class Swell:
    """A small question with an answer of so many bytes."""

    url: str
    size: int

    def run(self, desk: object) -> bytes:
        return bytes(self.size)


@dataclass(frozen=True)
class Refuse:
    """Raises an error of ours, whose class takes other arguments than the error has."""

    url: str

    def run(self, desk: object) -> None:
        raise UnreadableFile(self.url, "archive.none")


@dataclass(frozen=True)
class Stumble:
    """Raises an error that is not ours."""

    url: str

    def run(self, desk: object) -> None:
        raise LookupError("no such thing")
