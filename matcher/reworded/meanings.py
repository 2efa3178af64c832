"""Which stretches of works say what a block of a page says, in whatever language: an index of vectors, port and twin.

For pages in English of works in Chinese and the other way round, which share no characters. A sentence is kept as 96
numbers of 8 bits, its vector along the axes of the background, with its nearness. What is asked for is the best group
of 8 sentences for each sentence of the block; a chunk is two neighbouring groups.
"""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.reworded.background import Background, Windows
from matcher.reworded.chunks import FOUND, FoundChunk
from matcher.reworded.encoding import Encoder
from matcher.reworded.record import CURRENT
from matcher.reworded.sentences import Units
from matcher.reworded.stored import MEANINGS_ID, DamagedCodes, packed, unpacked
from matcher.reworded.weights import Floats

GROUP = 8  # sentences; a chunk has 16, as many as a block of a page
CODE_SCALE = 250.0  # a coordinate of a vector of length 1 is beyond .5 in none of 100,000 sentences
RIVALS = 10  # groups: as much as the tenth best has of a sentence is what any text has of it
AT_ONCE = 1 << 13  # groups that are compared at once: 25 MB of floats
_FAR = 8.0  # nearness of what fills up a group: no cosine reaches it
# Read at once when a text is stored, up to the end of a line: so many take some 60 MB while they are encoded.
PIECE_CHARS = 50_000
_VERSION = 1  # of the stored form
# Codes of other weights or another background are never compared with these.
_INGREDIENTS = hashlib.sha256(f"{CURRENT.weights} {CURRENT.tokenizer} {CURRENT.background}".encode()).digest()[:8]
_COUNTS = struct.Struct("<III")  # sentences, groups, axes

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
class TextMeanings:
    """What an index needs of a text.

    codes: int8[groups, GROUP, axes]; nearness: float16[groups, GROUP], _FAR for what fills up the last group; places:
    int32[groups, 2], start and end in the text as given.
    """

    codes: Codes
    nearness: NDArray[np.float16]
    places: Units

    @classmethod
    def of(cls, units: Units, windows: Windows, axes: Floats) -> "TextMeanings":
        """The sentences of a text. axes: float32[512, n] of the background."""
        missing = -len(units) % GROUP
        codes = coded(windows.vectors[: len(units)], axes)
        nearness = windows.nearness[: len(units)].astype(np.float16)
        starts = units[::GROUP, 0]
        lasts = np.append(units[GROUP - 1 :: GROUP, 1], units[-1:, 1])[: len(starts)]
        return cls(
            np.pad(codes, ((0, missing), (0, 0))).reshape(-1, GROUP, axes.shape[1]),
            np.pad(nearness, (0, missing), constant_values=_FAR).reshape(-1, GROUP),
            np.stack([starts, lasts], axis=1),
        )

    @classmethod
    def read(cls, text: str, encoder: Encoder, background: Background) -> "TextMeanings":
        """Of a text of any length, read piece by piece."""
        units, vectors, near = [np.zeros((0, 2), np.int32)], [np.zeros((0, 512), np.float32)], [np.zeros(0, np.float32)]
        for start, piece in _pieces(text):
            encoded = encoder.encode([piece])[0]
            windows = background.windows(encoded)
            units.append(encoded.units + np.int32(start))
            vectors.append(windows.vectors[: len(encoded.units)])
            near.append(windows.nearness[: len(encoded.units)])
        windows = Windows(np.concatenate(vectors), np.concatenate(near))
        return cls.of(np.concatenate(units), windows, background.axes)

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self.nearness.nbytes + self.places.nbytes

    def to_bytes(self) -> bytes:
        """The stored form, without what fills up the last group."""
        sentences = int((self.nearness < _FAR).sum())
        groups, axes = len(self.places), self.codes.shape[2]
        columns = (
            self.codes.reshape(-1, axes)[:sentences],
            self.nearness.reshape(-1)[:sentences].astype("<f2"),
            self.places.astype("<i4"),
        )
        body = _COUNTS.pack(sentences, groups, axes) + b"".join(column.tobytes() for column in columns)
        return packed(MEANINGS_ID, _VERSION, _INGREDIENTS, body)

    @classmethod
    def from_bytes(cls, payload: bytes) -> "TextMeanings":
        """The inverse of `to_bytes`. Raises DamagedCodes."""
        body = unpacked(payload, MEANINGS_ID, _VERSION, _INGREDIENTS)
        if len(body) < _COUNTS.size:
            raise DamagedCodes("reworded.codes-cut-off", size=len(payload))
        sentences, groups, axes = _COUNTS.unpack_from(body)
        at = _COUNTS.size + sentences * axes
        if groups != -(-sentences // GROUP) or len(body) != at + 2 * sentences + 8 * groups:
            raise DamagedCodes("reworded.codes-cut-off", size=len(payload))
        codes = np.zeros((groups * GROUP, axes), np.int8)
        codes[:sentences] = np.frombuffer(body, np.int8, sentences * axes, _COUNTS.size).reshape(-1, axes)
        nearness = np.full(groups * GROUP, _FAR, np.float16)
        nearness[:sentences] = np.frombuffer(body, "<f2", sentences, at)
        places = np.frombuffer(body, "<i4", 2 * groups, at + 2 * sentences).reshape(-1, 2).astype(np.int32)
        return cls(codes.reshape(-1, GROUP, axes), nearness.reshape(-1, GROUP), places)


class MemoryMeaningIndex:
    """A `MeaningIndex` in the memory of one process; one thread at a time.

    axes: float32[512, n] of the background. A look-up reads all of it: .3 s at a million sentences.
    """

    def __init__(self, axes: Floats) -> None:
        self._axes = axes
        self._texts: dict[WorkTextId, TextMeanings] = {}
        self._all: TextMeanings | None = None

    def add(self, text_id: WorkTextId, units: Units, windows: Windows) -> bool:
        return self.add_meanings(text_id, TextMeanings.of(units, windows, self._axes))

    def add_meanings(self, text_id: WorkTextId, of_text: TextMeanings) -> bool:
        """As `add`, of what was stored of the text."""
        if text_id in self._texts or not len(of_text.places):
            return False
        self._texts[text_id] = of_text
        self._all = None
        return True

    def remove(self, text_id: WorkTextId) -> None:
        if self._texts.pop(text_id, None) is not None:
            self._all = None

    @property
    def nbytes(self) -> int:
        """Bytes of codes, nearness and places."""
        return sum(text.nbytes for text in self._texts.values())

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

    def _together(self) -> TextMeanings | None:
        """All texts as one, each then a view of its part of it, so that nothing is held twice."""
        if self._all is None and self._texts:
            several = list(self._texts.items())
            codes = np.concatenate([text.codes for _, text in several])
            nearness = np.concatenate([text.nearness for _, text in several])
            self._all = TextMeanings(codes, nearness, np.concatenate([text.places for _, text in several]))
            start = 0
            for text_id, text in several:
                part = slice(start, start := start + len(text.places))
                self._texts[text_id] = TextMeanings(codes[part], nearness[part], text.places)
        return self._all if self._texts else None


def coded(vectors: Floats, axes: Floats) -> Codes:
    """int8[n, axes]: where centred vectors lie along the axes."""
    return np.clip(np.round(vectors @ axes * CODE_SCALE), -127, 127).astype(np.int8)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Parts of a text with their offsets, each PIECE_CHARS long and up to the end of the line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE_CHARS) + 1 or len(text)
        yield start, text[start:end]
        start = end


def _group_csls(texts: TextMeanings, block: Floats, nearness: Floats) -> Floats:
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
