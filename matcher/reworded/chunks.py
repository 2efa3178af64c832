"""An index of stretches of works by rare pairs of characters.

A chunk is 600 characters of a text: two neighbouring cells of 300. The index stores the distinct pairs of neighbouring
characters in each cell. A reworded text keeps the characters of names and things, and few chunks share them.
"""

import struct
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.readings import fold_variants
from matcher.reworded.sentences import is_latin
from matcher.reworded.stored import CELLS_ID, DamagedCodes, pack_codes, unpack_codes

CELL_CHARS = 300  # the step; a chunk is two cells
# Pairs of characters in more of the cells are no evidence and left out. Tried at 20 M characters, November 2026: .02,
# .01, .005, .0025. Compared with the tenth best chunk, the least of 11 strong rewrites stands out by 4.2, 4.6, 5.6,
# 6.4, the 92nd of 100 innocent passages by 1.79, 1.91, 1.94, 2.0, the least of 6 extreme ones by 3.8, 3.7, 3.7, 3.5. In
# a small index pairs in up to 20 cells are kept.
MAX_SHARE, MIN_COMMON_CELLS = 0.005, 20
MAX_CHUNKS = 12  # chunks returned by a look-up; the tenth shows the score of an unrelated chunk
_LOW_BITS = np.uint64(32)
_VERSION = 1  # of the stored form and of keys: another cell or another folding of characters is another version
_NO_INGREDIENTS = bytes(8)
_COUNTS = struct.Struct("<IIB")  # characters, pairs, whether the text is in Latin script

Keys = NDArray[np.uint32]
Cells = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A stretch [start, end) of a text, in characters of the text as given, and its score for a block."""

    text_id: WorkTextId
    start: int
    end: int
    score: float


def cell_keys(text: str) -> tuple[Keys, Cells]:
    """Return the distinct pairs of characters in each cell of a text, as keys and the cell of each, ordered by cell.

    A key consists of both characters, simplified, 16 bits each. Spaces and punctuation are removed first, so that the
    characters on either side form a pair too: rewording moves commas. A pair belongs to the cell of its first
    character.
    """
    keys, offsets = _character_pairs(text)
    cells_and_keys = np.unique((offsets // CELL_CHARS).astype(np.uint64) << _LOW_BITS | keys)
    return cells_and_keys.astype(np.uint32), (cells_and_keys >> _LOW_BITS).astype(np.uint32)


def shared_pairs(text: str, other: str) -> float:
    """Return the share of a text's distinct pairs of characters that another text contains, [0, 1].

    0 if it has no pairs.
    """
    keys = np.unique(_character_pairs(text)[0])
    return float(np.isin(keys, _character_pairs(other)[0]).mean()) if keys.size else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class TextCells:
    """The cells of a text, for the index.

    chars: the length of the text; keys, cells: the result of `cell_keys`. A text in Latin script has no keys: it is
    looked up only by meaning.
    """

    chars: int
    is_latin: bool
    keys: Keys
    cells: Cells

    @classmethod
    def from_text(cls, text: str) -> "TextCells":
        """Return the cells of a text."""
        latin = is_latin(text)
        return cls(len(text), latin, *cell_keys("" if latin else text))

    def to_bytes(self) -> bytes:
        """Return the stored form: the number of keys in each cell, then the keys.

        The keys are transposed by bytes, so that they compress well.
        """
        counts = np.bincount(self.cells, minlength=-(-self.chars // CELL_CHARS))
        head = _COUNTS.pack(self.chars, self.keys.size, self.is_latin)
        planes = self.keys.astype("<u4").view(np.uint8).reshape(-1, 4).T
        return pack_codes(CELLS_ID, _VERSION, _NO_INGREDIENTS, head + counts.astype("<u2").tobytes() + planes.tobytes())

    @classmethod
    def from_bytes(cls, payload: bytes) -> "TextCells":
        """Return the cells with this stored form. Raises DamagedCodes."""
        body = unpack_codes(payload, CELLS_ID, _VERSION, _NO_INGREDIENTS)
        if len(body) < _COUNTS.size:
            raise DamagedCodes("reworded.codes-cut-off", size=len(payload))
        chars, size, latin = _COUNTS.unpack_from(body)
        cells = -(-chars // CELL_CHARS)
        if len(body) != _COUNTS.size + 2 * cells + 4 * size:
            raise DamagedCodes("reworded.codes-cut-off", size=len(payload))
        counts = np.frombuffer(body, "<u2", cells, _COUNTS.size)
        if int(counts.sum()) != size:
            raise DamagedCodes("reworded.codes-changed", algorithm=CELLS_ID)
        planes = np.frombuffer(body, np.uint8, 4 * size, _COUNTS.size + 2 * cells).reshape(4, size)
        keys = np.ascontiguousarray(planes.T).view("<u4").reshape(-1).astype(np.uint32)
        return cls(chars, bool(latin), keys, np.repeat(np.arange(cells, dtype=np.uint32), counts))


class ChunkIndex:
    """An index of the texts whose reworded copies are searched for, in the memory of one process.

    For one thread at a time.

    After a change, the first look-up merges all postings into one run by increasing key, without those of removed
    texts.
    """

    def __init__(self) -> None:
        self._texts: dict[WorkTextId, tuple[int, int]] = {}  # first cell and length in characters
        self._ids: list[WorkTextId] = []
        self._starts: list[int] = []
        self._lengths: list[int] = []
        self._end = 0
        self._pending: list[NDArray[np.uint64]] = []
        self._run = _PostingRun.from_postings(np.zeros(0, np.uint64))
        self._has_removed = False

    def add_cells(self, text_id: WorkTextId, text_cells: TextCells) -> bool:
        """Add a text by its cells; return False if it is already present."""
        if text_id in self._texts:
            return False
        self._pending.append(text_cells.keys.astype(np.uint64) << _LOW_BITS | (text_cells.cells + np.uint32(self._end)))
        self._texts[text_id] = (self._end, text_cells.chars)
        self._ids.append(text_id)
        self._starts.append(self._end)
        self._lengths.append(text_cells.chars)
        self._end += -(-text_cells.chars // CELL_CHARS) + 1  # an empty cell separates texts
        return True

    def remove(self, text_id: WorkTextId) -> None:
        """Remove a text if it is present."""
        if self._texts.pop(text_id, None) is not None:
            self._has_removed = True

    @property
    def nbytes(self) -> int:
        """The number of bytes in the postings and their keys."""
        self._merge_postings()
        return self._run.nbytes

    def find(self, block: str) -> list[FoundChunk]:
        """Return the chunks with the highest scores for a block, best first.

        They do not overlap; there are at most MAX_CHUNKS.
        """
        self._merge_postings()
        scores = self._cell_scores(block)
        if not scores.size:
            return []
        chunks = scores + np.append(scores[1:], np.float32(0))
        chunks[np.array([*self._starts[1:], self._end]) - 1] = 0  # an empty cell begins no chunk
        return self._best_chunks(chunks)

    def _cell_scores(self, block: str) -> NDArray[np.float32]:
        """Return, for each cell, the sum of the weights of the pairs that it shares with the block, float32[cells]."""
        keys, counts = np.unique(_character_pairs(block)[0], return_counts=True)
        firsts, lasts = self._run.find(keys)
        numbers = lasts - firsts
        cells = max(1, self._end)
        is_rare = (numbers > 0) & (numbers <= max(MIN_COMMON_CELLS, MAX_SHARE * cells))
        weights = (1 + np.log(counts)) * np.log(cells / np.maximum(1, numbers))
        firsts, numbers, weights = firsts[is_rare], numbers[is_rare], np.maximum(weights[is_rare], 0.1)
        ends = np.cumsum(numbers)
        rows = np.arange(ends[-1] if ends.size else 0) + np.repeat(firsts - (ends - numbers), numbers)
        scores_of_cells = np.bincount(self._run.cells[rows], np.repeat(weights, numbers), self._end)
        return scores_of_cells.astype(np.float32)

    def _best_chunks(self, chunks: NDArray[np.float32]) -> list[FoundChunk]:
        chunks_found: list[FoundChunk] = []
        used_cells: set[int] = set()
        candidate_count = min(chunks.size, 4 * MAX_CHUNKS)
        candidates = np.argpartition(-chunks, candidate_count - 1)[:candidate_count]
        candidates = candidates[np.lexsort((candidates, -chunks[candidates]))]
        numbers = np.searchsorted(np.array(self._starts, np.int64), candidates, side="right") - 1
        for cell, number in zip(candidates.tolist(), numbers.tolist(), strict=True):
            if chunks[cell] <= 0 or len(chunks_found) == MAX_CHUNKS:
                break
            if self._ids[number] not in self._texts or {cell - 1, cell, cell + 1} & used_cells:
                continue
            used_cells.add(cell)
            start = (cell - self._starts[number]) * CELL_CHARS
            end = min(self._lengths[number], start + 2 * CELL_CHARS)
            chunks_found.append(FoundChunk(self._ids[number], start, end, float(chunks[cell])))
        return chunks_found

    def _merge_postings(self) -> None:
        if not self._pending and not self._has_removed:
            return
        postings = np.concatenate([self._run.postings(), *self._pending])
        if self._has_removed:
            postings = postings[self._is_alive(postings.astype(np.uint32))]
        postings.sort()
        self._run, self._pending, self._has_removed = _PostingRun.from_postings(postings), [], False

    def _is_alive(self, cells: Cells) -> NDArray[np.bool_]:
        living = {start for start, _ in self._texts.values()}
        is_alive = np.array([start in living for start in self._starts], np.bool_)
        return np.asarray(is_alive[np.searchsorted(self._starts, cells, side="right") - 1], np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class _PostingRun:
    """The cells of each key.

    keys: uint32[n], ascending; ends: uint32[n], the end of each key's cells; cells: uint32[postings].
    """

    keys: Keys
    ends: NDArray[np.uint32]
    cells: Cells

    @classmethod
    def from_postings(cls, postings: NDArray[np.uint64]) -> "_PostingRun":
        """Return a run of postings.

        postings: ascending, with the key in the upper bits and the cell in the lower bits.
        """
        keys, counts = np.unique((postings >> _LOW_BITS).astype(np.uint32), return_counts=True)
        return cls(keys, np.cumsum(counts).astype(np.uint32), postings.astype(np.uint32))

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.ends.nbytes + self.cells.nbytes

    def postings(self) -> NDArray[np.uint64]:
        counts = np.diff(self.ends, prepend=np.uint32(0))
        return np.repeat(self.keys, counts).astype(np.uint64) << _LOW_BITS | self.cells

    def find(self, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the bounds of each key's cells; the range is empty if the key is missing."""
        if not self.keys.size:
            empty = np.zeros(keys.size, np.int64)
            return empty, empty
        rows = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        lasts = self.ends[rows].astype(np.int64)
        firsts = np.where(rows > 0, self.ends[rows - 1], 0).astype(np.int64)
        return np.where(self.keys[rows] == keys, firsts, lasts), lasts


@cache
def _letter_codes() -> NDArray[np.bool_]:
    """Return which code points of the basic plane are letters or digits, bool[65536]."""
    return np.array([chr(code).isalnum() for code in range(1 << 16)], np.bool_)


def _character_pairs(text: str) -> tuple[Keys, NDArray[np.int64]]:
    """Return the key of each pair of characters in a text, and the offset of its first character.

    Characters outside the basic plane are omitted.
    """
    codes = fold_variants(text)
    offsets = np.flatnonzero(_letter_codes()[np.minimum(codes, 0xFFFF)] & (codes < 0xFFFF))
    letters = codes[offsets].astype(np.uint32)
    keys = letters[:-1] << np.uint32(16) | letters[1:]
    return keys, offsets[:-1]
