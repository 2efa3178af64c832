"""Indexes the works of one rights holder for the search by meaning."""

from core.ids import WorkTextId
from matcher.reworded.background import Background
from matcher.reworded.chunks import ChunkIndex
from matcher.reworded.encoding import Encoder
from matcher.reworded.found import RewordedMatch
from matcher.reworded.meanings import MeaningIndex
from matcher.reworded.searching import Indexes, RewordedSearch
from matcher.reworded.sentences import is_latin, sentence_units
from webadmin.rewrites.services.searching.codes import CodesStore

# A page in Latin script with fewer sentences cannot reach 42, the score of a translation. Each matching sentence, and
# each that follows a matching neighbour, adds at most 10 * 0.8 (matcher.reworded.alignment and calibration).
MIN_SENTENCES = 4


class HolderWorks:
    """Indexes in memory of the works of one rights holder. Not thread-safe.

    Works in Chinese are encoded by meaning only when the first page in Latin script is searched.
    """

    def __init__(self, codes: CodesStore, encoder: Encoder, background: Background) -> None:
        self._codes, self._encoder, self._background = codes, encoder, background
        self._chunks = ChunkIndex()
        self._latin: MeaningIndex | None = None  # works in Latin script, or None if there are none
        self._han: MeaningIndex | None = None  # all other works, or None until a page needs them
        self._chars: dict[WorkTextId, tuple[int, bool]] = {}  # the length, and whether it is in Latin script
        self._search: RewordedSearch | None = None

    @property
    def chars(self) -> int:
        """The total number of characters of the texts."""
        return sum(chars for chars, _ in self._chars.values())

    def bring_in_line(self, texts: frozenset[WorkTextId]) -> None:
        """Add the texts in `texts` that are missing from the indexes, and drop all other texts."""
        for text_id in self._chars.keys() - texts:
            self._drop_text(text_id)
        new: dict[bool, list[WorkTextId]] = {True: [], False: []}
        for text_id, cells in self._codes.cells(texts - self._chars.keys()):
            self._chars[text_id] = (cells.chars, cells.is_latin)
            new[cells.is_latin].append(text_id)
            if not cells.is_latin:
                self._chunks.add_cells(text_id, cells)
        if new[True]:
            self._latin = self._latin or MeaningIndex(self._background.axes)
            self._add_meanings(self._latin, new[True])
        if self._han is not None:
            self._add_meanings(self._han, new[False])
        self._search = None

    def search(self, text: str) -> tuple[RewordedMatch, ...]:
        """Return the matches of the works in the text of a page."""
        if self._han is None and is_latin(text):
            if len(sentence_units(text)) < MIN_SENTENCES:
                return ()  # One line in English does not justify encoding all works.
            self._han = MeaningIndex(self._background.axes)
            self._add_meanings(self._han, [text_id for text_id, (_, latin) in self._chars.items() if not latin])
            self._search = None
        if self._search is None:
            indexes = Indexes(self._chunks, self._han, self._latin)
            self._search = RewordedSearch(indexes, self._codes, self._encoder, self._background)
        return self._search.search(text)

    def _add_meanings(self, index: MeaningIndex, texts: list[WorkTextId]) -> None:
        for text_id, meanings in self._codes.meanings(texts, self._encoder, self._background):
            index.add_meanings(text_id, meanings)

    def _drop_text(self, text_id: WorkTextId) -> None:
        _, latin = self._chars.pop(text_id)
        if not latin:
            self._chunks.remove(text_id)
        for index in (self._latin, self._han):
            if index is not None:
                index.remove(text_id)
        if not any(latin for _, latin in self._chars.values()):
            self._latin = None
