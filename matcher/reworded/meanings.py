"""An index of stretches of works by meaning, in any language.

It is used for pages in English with works in Chinese, and the reverse, which share no characters. A sentence is stored
as 96 numbers of 8 bits, its vector along the axes of the background, with its nearness. A look-up scores each group of
8 sentences for every sentence of a block; a chunk is two neighbouring groups.
"""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.reworded.background import Background, SentenceWindows
from matcher.reworded.chunks import MAX_CHUNKS, FoundChunk
from matcher.reworded.encoding import Encoder
from matcher.reworded.record import CURRENT
from matcher.reworded.sentences import Block, Units
from matcher.reworded.stored import MEANINGS_ID, DamagedCodes, pack_codes, unpack_codes
from matcher.reworded.weights import Floats

GROUP = 8  # sentences; a chunk has 16, as many as a block of a page
CODE_SCALE = 250.0  # no coordinate in 100,000 sentences exceeds .5, for vectors of length 1
RIVALS = 10  # groups: any text scores as much for a sentence as the tenth best group
# Groups that are compared at once: as floats .4 MB, which fit into the second-level cache of a core. Of 128 to 1,024,
# sizes up to 256 are the fastest (700,000 sentences, November 2026).
GROUPS_AT_ONCE = 128
BLOCKS_AT_ONCE = 8  # of a page, for which the index is read once; 70 MB for a million sentences of works
_FAR = 8.0  # nearness of padding in a group: no cosine reaches it
# Characters read at once when a text is stored, up to the end of a line: encoding them takes some 60 MB.
PART_CHARS = 50_000
_VERSION = 1  # of the stored form
# Codes of other weights or another background are never compared with these.
_INGREDIENTS = hashlib.sha256(f"{CURRENT.weights} {CURRENT.tokenizer} {CURRENT.background}".encode()).digest()[:8]
_COUNTS = struct.Struct("<III")  # sentences, groups, axes

Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class TextMeanings:
    """The sentences of a text by meaning, for the index.

    codes: int8[groups, GROUP, axes]; nearness: float16[groups, GROUP], _FAR for the padding of the last group; places:
    int32[groups, 2], the start and end of each group in the text as given.
    """

    codes: Codes
    nearness: NDArray[np.float16]
    places: Units

    @classmethod
    def from_windows(cls, units: Units, windows: SentenceWindows, axes: Floats) -> "TextMeanings":
        """Return the encoded sentences of a text. axes: float32[512, n], from the background."""
        missing = -len(units) % GROUP
        codes = quantize(windows.vectors[: len(units)], axes)
        nearness = windows.nearness[: len(units)].astype(np.float16)
        starts = units[::GROUP, 0]
        lasts = np.append(units[GROUP - 1 :: GROUP, 1], units[-1:, 1])[: len(starts)]
        return cls(
            np.pad(codes, ((0, missing), (0, 0))).reshape(-1, GROUP, axes.shape[1]),
            np.pad(nearness, (0, missing), constant_values=_FAR).reshape(-1, GROUP),
            np.stack([starts, lasts], axis=1),
        )

    @classmethod
    def from_text(cls, text: str, encoder: Encoder, background: Background) -> "TextMeanings":
        """Encode a text of any length, part by part."""
        units, vectors, nearness = (
            [np.zeros((0, 2), np.int32)],
            [np.zeros((0, 512), np.float32)],
            [np.zeros(0, np.float32)],
        )
        for start, part in _text_parts(text):
            encoded = encoder.encode([part])[0]
            windows = background.windows(encoded)
            units.append(encoded.units + np.int32(start))
            vectors.append(windows.vectors[: len(encoded.units)])
            nearness.append(windows.nearness[: len(encoded.units)])
        windows = SentenceWindows(np.concatenate(vectors), np.concatenate(nearness))
        return cls.from_windows(np.concatenate(units), windows, background.axes)

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self.nearness.nbytes + self.places.nbytes

    def to_bytes(self) -> bytes:
        """Return the stored form, without the padding of the last group."""
        sentences = int((self.nearness < _FAR).sum())
        groups, axes = len(self.places), self.codes.shape[2]
        columns = (
            self.codes.reshape(-1, axes)[:sentences],
            self.nearness.reshape(-1)[:sentences].astype("<f2"),
            self.places.astype("<i4"),
        )
        body = _COUNTS.pack(sentences, groups, axes) + b"".join(column.tobytes() for column in columns)
        return pack_codes(MEANINGS_ID, _VERSION, _INGREDIENTS, body)

    @classmethod
    def from_bytes(cls, payload: bytes) -> "TextMeanings":
        """Return the sentences with this stored form. Raises DamagedCodes."""
        body = unpack_codes(payload, MEANINGS_ID, _VERSION, _INGREDIENTS)
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


class MeaningIndex:
    """An index of the texts whose translations are searched for, in the memory of one process.

    For one thread at a time.

    axes: float32[512, n], from the background. A look-up reads the whole index once for every BLOCKS_AT_ONCE blocks.
    """

    def __init__(self, axes: Floats) -> None:
        self._axes = axes
        self._texts: dict[WorkTextId, TextMeanings] = {}
        self._all: _Whole | None = None

    def add_meanings(self, text_id: WorkTextId, meanings: TextMeanings) -> bool:
        """Add a text by its sentences; return False if it is already present or has no sentences."""
        if text_id in self._texts or not len(meanings.places):
            return False
        self._texts[text_id] = meanings
        self._all = None
        return True

    def remove(self, text_id: WorkTextId) -> None:
        """Remove a text if it is present."""
        if self._texts.pop(text_id, None) is not None:
            self._all = None

    @property
    def nbytes(self) -> int:
        """The number of bytes in codes, nearness and offsets."""
        return sum(text.nbytes for text in self._texts.values())

    def find(self, page: SentenceWindows, blocks: Sequence[Block]) -> list[list[FoundChunk]]:
        """Return for each block the chunks closest in meaning, best first.

        They do not overlap; there are at most MAX_CHUNKS.

        blocks: ranges of sentences (`sentences.blocks`), none of them empty.
        """
        chunks: list[list[FoundChunk]] = []
        for number in range(0, len(blocks), BLOCKS_AT_ONCE):
            chunks += self._find_chunks(page, blocks[number : number + BLOCKS_AT_ONCE])
        return chunks

    def _find_chunks(self, page: SentenceWindows, blocks: Sequence[Block]) -> list[list[FoundChunk]]:
        """Return the chunks for consecutive blocks."""
        whole = self._join_texts()
        if whole is None:
            return [[] for _ in blocks]
        start, end = blocks[0][0], blocks[-1][1]
        part = page.subset(start, end)
        groups = _group_csls(whole.meanings, part.vectors @ self._axes, part.nearness)
        rows_of_blocks = [part.rows(first - start, last - start) for first, last in blocks]
        return [self._best_chunks(whole, _group_gains(groups[block_rows])) for block_rows in rows_of_blocks]

    def _best_chunks(self, whole: "_Whole", gains: Floats) -> list[FoundChunk]:
        chunks = gains + whole.follows * np.append(gains[1:], np.float32(0))
        candidate_count = min(chunks.size, 4 * MAX_CHUNKS)
        candidates = np.argpartition(-chunks, candidate_count - 1)[:candidate_count]
        ids = list(self._texts)
        found: dict[tuple[int, int], FoundChunk] = {}  # by text and group
        for group in candidates[np.lexsort((candidates, -chunks[candidates]))].tolist():
            owner = int(whole.owners[group])
            nearby = {(owner, group + step) for step in (-1, 0, 1)}
            if chunks[group] > 0 and len(found) < MAX_CHUNKS and not nearby & found.keys():
                found[owner, group] = FoundChunk(ids[owner], *whole.chunk(group), float(chunks[group]))
        return list(found.values())

    def _join_texts(self) -> "_Whole | None":
        """Return all texts as one, and replace each text by a view of it to save memory."""
        if self._all is None and self._texts:
            self._all = _Whole.from_texts(list(self._texts.values()))
            start = 0
            for text_id, text in self._texts.items():
                part = slice(start, start := start + len(text.places))
                codes, nearness = self._all.meanings.codes[part], self._all.meanings.nearness[part]
                self._texts[text_id] = TextMeanings(codes, nearness, text.places)
        return self._all


@dataclass(frozen=True, slots=True, eq=False)
class _Whole:
    """All texts of the index as one.

    owners: int32[groups], the number of each group's text; follows: whether the next group belongs to the same text.
    """

    meanings: TextMeanings
    owners: NDArray[np.int32]
    follows: NDArray[np.bool_]

    @classmethod
    def from_texts(cls, texts: Sequence[TextMeanings]) -> "_Whole":
        """Return the texts as one, in this order; there must be at least one."""
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text.places) for text in texts])
        meanings = TextMeanings(
            np.concatenate([text.codes for text in texts]),
            np.concatenate([text.nearness for text in texts]),
            np.concatenate([text.places for text in texts]),
        )
        return cls(meanings, owners, np.append(owners[1:] == owners[:-1], False))

    def chunk(self, group: int) -> tuple[int, int]:
        """Return the start and end, in its text, of the chunk that begins with a group."""
        places = self.meanings.places
        return int(places[group, 0]), int(places[group + int(self.follows[group]), 1])


def quantize(vectors: Floats, axes: Floats) -> Codes:
    """Return the coordinates of centred vectors along the axes, as 8-bit numbers, int8[n, axes]."""
    return np.clip(np.round(vectors @ axes * CODE_SCALE), -127, 127).astype(np.int8)


def _text_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield consecutive parts of a text with their offsets.

    Each has PART_CHARS characters and the rest of its last line.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start + PART_CHARS) + 1 or len(text)
        yield start, text[start:end]
        start = end


def _group_csls(texts: TextMeanings, page: Floats, nearness: Floats) -> Floats:
    """Return the best value of each group for each window of the page, float32[windows, groups].

    page: the vectors along the axes.
    """
    best_values = np.empty((len(page), len(texts.codes)), np.float32)
    page_columns = page.T * np.float32(2 / CODE_SCALE)
    for start in range(0, len(texts.codes), GROUPS_AT_ONCE):
        part = slice(start, start + GROUPS_AT_ONCE)
        # The first sentences of all groups, then the second sentences: the maximum is then taken along whole rows.
        codes = texts.codes[part].transpose(1, 0, 2).astype(np.float32, order="C")
        csls = codes.reshape(-1, codes.shape[2]) @ page_columns
        csls -= texts.nearness[part].T.astype(np.float32).reshape(-1, 1)
        best_values[:, part] = csls.reshape(GROUP, -1, len(page)).max(axis=0).T
    best_values -= nearness[:, None]
    return best_values


def _group_gains(groups: Floats) -> Floats:
    """Return each group's gain over the tenth best group, summed over the windows of a block, float32[groups]."""
    rank = groups.shape[1] - RIVALS
    if rank > 0:
        groups = groups - np.maximum(np.partition(groups, rank, axis=1)[:, rank], 0)[:, None]
    return np.asarray(np.maximum(groups, 0).sum(axis=0), np.float32)
