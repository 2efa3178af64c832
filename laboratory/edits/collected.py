"""Confusion sets collected by people, and real typing errors ("slips"), read from a folder of corpora.

Both files are gzipped JSON lines. `confusion_dev.jsonl.gz`: `char`, `kind`, `similar`; `typos_dev.jsonl.gz`: `subs`, a
list of [position, written, meant].
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Any

from core.errors import MalformedLine, UnreadableFile
from fingerprint.readings import syllable_ids
from fingerprint.syllables_2026 import SYLLABLES
from laboratory.edits.sounds import COMMON_WEIGHT, character_weights, taken_for

CONFUSIONS_FILE = "confusion_dev.jsonl.gz"
TYPOS_FILE = "typos_dev.jsonl.gz"
# Each occurrence of a slip has the weight of a common character in a list.
SLIP_WEIGHT = COMMON_WEIGHT

Sets = dict[str, dict[str, int]]


class Likeness(Enum):
    """The respect in which two characters are alike."""

    SOUND = auto()
    NEAR_SOUND = auto()
    SHAPE = auto()


LIKENESSES: Mapping[str, Likeness] = {
    "same sound same tone": Likeness.SOUND,
    "same sound other tone": Likeness.SOUND,
    "near sound same tone": Likeness.NEAR_SOUND,
    "near sound other tone": Likeness.NEAR_SOUND,
    "same radical same strokes": Likeness.SHAPE,
    "similar shape": Likeness.SHAPE,
}


def confusion_sets(folder: Path) -> Mapping[Likeness, Sets]:
    """Return, for each likeness, the candidates of each character with their weights.

    Listed candidates are weighted by their frequency, slips by SLIP_WEIGHT for each occurrence. A slip counts as one of
    shape if a list has the pair as such; a slip that is alike in neither sound nor shape (里 for 上) is left out.
    Raises UnreadableFile and MalformedLine.
    """
    sets: dict[Likeness, Sets] = {likeness: {} for likeness in Likeness}
    _add_lists(sets, folder / CONFUSIONS_FILE)
    _add_slips(sets, folder / TYPOS_FILE)
    return sets


def _add_lists(sets: dict[Likeness, Sets], path: Path) -> None:
    weights = character_weights()
    for number, record in _records(path):
        kind, character, similar = (record.get(name) for name in ("kind", "char", "similar"))
        if not (isinstance(character, str) and isinstance(similar, str)):
            raise MalformedLine(path, number, "laboratory.similar-characters")
        likeness = LIKENESSES.get(str(kind))
        if likeness and len(character) == 1:
            candidates = sets[likeness].setdefault(character, {})
            candidates.update((other, weights.get(ord(other), 1)) for other in similar if other != character)


def _add_slips(sets: dict[Likeness, Sets], path: Path) -> None:
    near = taken_for()
    for written, meant in _slips(path):
        likeness = _likeness_by_sound(meant, written, near) or _listed_likeness(sets, meant, written)
        if likeness and written != meant:
            candidates = sets[likeness].setdefault(meant, {})
            candidates[written] = candidates.get(written, 0) + SLIP_WEIGHT


def _slips(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (written, meant) for every slip of one character for another."""
    for number, record in _records(path):
        slips = record.get("subs") or []
        if not (isinstance(slips, list) and all(_is_slip(slip) for slip in slips)):
            raise MalformedLine(path, number, "laboratory.slips")
        yield from ((written, meant) for _, written, meant in slips if len(written) == len(meant) == 1)


def _is_slip(slip: object) -> bool:
    return isinstance(slip, list) and len(slip) == 3 and isinstance(slip[1], str) and isinstance(slip[2], str)


def _likeness_by_sound(meant: str, written: str, near: Mapping[str, frozenset[str]]) -> Likeness | None:
    first, second = (SYLLABLES[number] for number in syllable_ids(meant + written))
    if first and first == second:
        return Likeness.SOUND
    return Likeness.NEAR_SOUND if second in near.get(first, ()) else None


def _listed_likeness(sets: Mapping[Likeness, Sets], meant: str, written: str) -> Likeness | None:
    return next((likeness for likeness in Likeness if written in sets[likeness].get(meant, ())), None)


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise MalformedLine(path, number, "laboratory.no-object")
                yield number, record
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=getattr(error, "strerror", None) or error) from error
    except json.JSONDecodeError as error:
        raise UnreadableFile(path, "laboratory.no-json-lines", error=error.msg) from error
