"""Which stretches of works say what a block of a page says, in whatever language: an index of vectors, port and twin.

For pages in English of works in Chinese and the other way round, which share no characters. A sentence is kept as 96
numbers of 8 bits, its vector along the axes of the background, with its nearness. What is asked for is the best group
of 8 sentences for each sentence of the block; a chunk is two neighbouring groups.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.reworded.background import Background, Windows
from matcher.reworded.chunks import FOUND, FoundChunk
from matcher.reworded.encoding import Encoder
from matcher.reworded.sentences import Units
from matcher.reworded.weights import Floats

GROUP = 8  # sentences; a chunk has 16, as many as a block of a page
CODE_SCALE = 250.0  # a coordinate of a vector of length 1 is beyond .5 in none of 100,000 sentences
RIVALS = 10  # groups: as much as the tenth best has of a sentence is what any text has of it
AT_ONCE = 1 << 13  # groups that are compared at once: 25 MB of floats
_FAR = 8.0  # nearness of what fills up a group: no cosine reaches it

Codes = NDArray[np.int8]


class MeaningIndex(Protocol):
    """The texts that translations are looked for of. Implementations: `MemoryMeaningIndex`."""

    def add(self, text_id: WorkTextId, units: Units, windows: Windows) -> bool:
        """Make a text findable by its sentences; False where it is already or has none."""
        ...

    def remove(self, text_id: WorkTextId) -> None:
        """Make a text unfindable; nothing happens where it is not there."""
        ...

    def find(self, block: Windows) -> list[FoundChunk]:
        """Up to FOUND chunks that say most of a block, best first; none overlaps a better one."""
        ...


def add_text(index: MeaningIndex, text_id: WorkTextId, text: str, encoder: Encoder, background: Background) -> None:
    """Read a text and make it findable."""
    encoded = encoder.encode([text])[0]
    index.add(text_id, encoded.units, background.windows(encoded))


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """codes: int8[groups, GROUP, axes]; nearness: float16[groups, GROUP]; places: int32[groups, 2], start and end."""

    text_id: WorkTextId
    codes: Codes
    nearness: NDArray[np.float16]
    places: Units


class MemoryMeaningIndex:
    """A `MeaningIndex` in the memory of one process; one thread at a time.

    axes: float32[512, n] of the background. A look-up reads all of it: .3 s at a million sentences.
    """

    def __init__(self, axes: Floats) -> None:
        self._axes = axes
        self._texts: dict[WorkTextId, _Text] = {}
        self._all: _Text | None = None
        self._owners: list[WorkTextId] = []

    def add(self, text_id: WorkTextId, units: Units, windows: Windows) -> bool:
        if text_id in self._texts or not len(units):
            return False
        missing = -len(units) % GROUP
        codes = coded(windows.vectors[: len(units)], self._axes)
        nearness = windows.nearness[: len(units)].astype(np.float16)
        starts = units[::GROUP, 0]
        lasts = np.append(units[GROUP - 1 :: GROUP, 1], units[-1:, 1])[: len(starts)]
        self._texts[text_id] = _Text(
            text_id,
            np.pad(codes, ((0, missing), (0, 0))).reshape(-1, GROUP, self._axes.shape[1]),
            np.pad(nearness, (0, missing), constant_values=_FAR).reshape(-1, GROUP),
            np.stack([starts, lasts], axis=1),
        )
        self._all = None
        return True

    def remove(self, text_id: WorkTextId) -> None:
        if self._texts.pop(text_id, None) is not None:
            self._all = None

    @property
    def nbytes(self) -> int:
        """Bytes of codes, nearness and places."""
        return sum(text.codes.nbytes + text.nearness.nbytes + text.places.nbytes for text in self._texts.values())

    def find(self, block: Windows) -> list[FoundChunk]:
        whole = self._together()
        if whole is None or not block.units:
            return []
        gains = _gains(_group_csls(whole, block.vectors @ self._axes, block.nearness))
        owners = np.array([number for number, text in enumerate(self._texts.values()) for _ in text.places])
        follows = np.append(owners[1:] == owners[:-1], False)
        chunks = gains + np.where(follows, np.append(gains[1:], 0), 0)
        return self._best(chunks, whole.places, owners, follows)

    def _best(
        self, chunks: Floats, places: Units, owners: NDArray[np.int64], follows: NDArray[np.bool_]
    ) -> list[FoundChunk]:
        ids = list(self._texts)
        found: list[FoundChunk] = []
        taken: set[tuple[int, int]] = set()  # text and group
        for group in np.argsort(-chunks, kind="stable")[: 4 * FOUND].tolist():
            owner = int(owners[group])
            if chunks[group] > 0 and len(found) < FOUND and not {(owner, group + step) for step in (-1, 0, 1)} & taken:
                taken.add((owner, group))
                end = int(places[group + int(follows[group]), 1])
                found.append(FoundChunk(ids[owner], int(places[group, 0]), end, float(chunks[group])))
        return found

    def _together(self) -> _Text | None:
        """All texts as one, each then a view of its part of it, so that nothing is held twice."""
        if self._all is None and self._texts:
            several = list(self._texts.values())
            codes = np.concatenate([text.codes for text in several])
            nearness = np.concatenate([text.nearness for text in several])
            self._all = _Text(WorkTextId(""), codes, nearness, np.concatenate([text.places for text in several]))
            start = 0
            for text in several:
                part = slice(start, start := start + len(text.places))
                self._texts[text.text_id] = _Text(text.text_id, codes[part], nearness[part], text.places)
        return self._all if self._texts else None


def coded(vectors: Floats, axes: Floats) -> Codes:
    """int8[n, axes]: where centred vectors lie along the axes."""
    return np.clip(np.round(vectors @ axes * CODE_SCALE), -127, 127).astype(np.int8)


def _group_csls(texts: _Text, block: Floats, nearness: Floats) -> Floats:
    """float32[groups, windows of the block]: the best of each group."""
    parts = []
    for start in range(0, len(texts.codes), AT_ONCE):
        codes = texts.codes[start : start + AT_ONCE].astype(np.float32)
        found = codes.reshape(-1, codes.shape[2]) @ (block.T * np.float32(2 / CODE_SCALE))
        found -= texts.nearness[start : start + AT_ONCE].astype(np.float32).reshape(-1, 1)
        parts.append(found.reshape(*codes.shape[:2], -1).max(axis=1))
    return np.concatenate(parts) - nearness


def _gains(groups: Floats) -> Floats:
    """float32[groups]: what each has of the sentences of the block beyond what the tenth best of each has."""
    place = max(0, len(groups) - RIVALS)
    rival = np.maximum(np.partition(groups, place, axis=0)[place], 0) if len(groups) > RIVALS else np.float32(0)
    return np.asarray(np.maximum(groups - rival, 0).sum(axis=1), np.float32)
