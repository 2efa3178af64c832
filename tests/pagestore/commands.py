"""Record what the page store asks of a server of MongoDB's protocol, and read what the docs say of it."""

import contextlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pymongo
from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

import pagestore
from core.errors import BrokenInvariant
from pagestore.documents import required_portable

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
SECTION = "## What a server of MongoDB's protocol must know"
PRODUCT, DRIVER = (str(Path(each.__file__ or "").parent) for each in (pagestore, pymongo))
# Of every command: where it goes, and what the driver adds where a server has sessions.
OF_ALL = {"$db", "lsid", "txnNumber", "$clusterTime", "$readPreference"}
STATEMENTS = ("updates", "deletes")


class Recorder(CommandListener):
    """Notes commands, each with the words of its question, that the page store sends: not those of a test itself."""

    def __init__(self) -> None:
        self.sent: defaultdict[str, set[str]] = defaultdict(set)
        self.unportable: list[str] = []

    def started(self, event: CommandStartedEvent) -> None:
        if _is_product(sys._getframe(1)):
            command = dict(event.command)
            self.sent[event.command_name] |= set(words_of(event.command_name, command))
            self._check(command)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        pass

    def failed(self, event: CommandFailedEvent) -> None:
        pass

    def _check(self, command: Mapping[str, Any]) -> None:
        for name in ("documents", "updates"):
            for each in command.get(name, ()):
                try:
                    required_portable(dict(each))
                except BrokenInvariant as error:  # the driver swallows what a listener raises
                    self.unportable.append(str(error))


def words_of(name: str, command: Mapping[str, Any]) -> Iterator[str]:
    """The names of a command's parts, those of its statements, and every operator in it."""
    yield from command.keys() - OF_ALL - {name}
    for part in STATEMENTS:
        for each in command.get(part, ()):
            yield from each
    yield from (each for each in _names(command) if each.startswith("$") and each not in OF_ALL)


def documented() -> dict[str, set[str]]:
    """The table of the docs: the words of each command."""
    section = PAGE.read_text("utf-8").partition(SECTION)[2].partition("\n## ")[0]
    rows = (line.split("|") for line in section.splitlines() if line.startswith("| `"))
    return {cells[1].strip(" `"): set(re.findall(r"`([^`]+)`", cells[2])) for cells in rows}


def _is_product(frame: FrameType | None) -> bool:
    """Whether the nearest caller outside the driver is the page store."""
    while frame is not None and frame.f_code.co_filename.startswith((DRIVER, contextlib.__file__)):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(PRODUCT)


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield name
            yield from _names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _names(each)
