"""Encodes stretches of works on demand, and caches the most recently used ones."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.ids import WorkTextId
from matcher.reworded.background import Background, SentenceWindows
from matcher.reworded.chunks import FoundChunk
from matcher.reworded.encoding import Encoder
from matcher.reworded.sentences import Units

# A rewritten passage rarely begins and ends with its chunk. The prototype had six sentences on either side.
MARGIN_CHARS = 200
MAX_CACHED = 128  # stretches, each some .15 MB

StretchKey = tuple[WorkTextId, int, int]


class WorkTextStore(Protocol):
    """The store of works' texts."""

    def text(self, text_id: WorkTextId) -> str | None:
        """Return a text as given, or None if it has been removed."""
        ...


class MemoryTexts(dict[WorkTextId, str]):
    """Texts in a dictionary."""

    def text(self, text_id: WorkTextId) -> str | None:
        return self.get(text_id)


@dataclass(frozen=True, slots=True, eq=False)
class EncodedStretch:
    """A part of a text around a chunk, beginning at offset `start`.

    units: the sentences, as offsets in the whole text.
    """

    chunk: FoundChunk
    start: int
    text: str
    units: Units
    windows: SentenceWindows


class StretchEncoder:
    """Encodes stretches on demand, all missing ones at once. For one thread at a time."""

    def __init__(self, texts: WorkTextStore, encoder: Encoder, background: Background) -> None:
        self._texts, self._encoder, self._background = texts, encoder, background
        self._cached: OrderedDict[StretchKey, EncodedStretch] = OrderedDict()

    def encode_around(self, chunks: Sequence[FoundChunk]) -> list[EncodedStretch]:
        """Return the stretch of each chunk, with MARGIN_CHARS on either side; chunks of removed texts are omitted."""
        self._encode_chunks([chunk for chunk in chunks if _stretch_key(chunk) not in self._cached])
        stretches = []
        for chunk in chunks:
            if (stretch := self._cached.get(_stretch_key(chunk))) is not None:
                self._cached.move_to_end(_stretch_key(chunk))
                stretches.append(replace(stretch, chunk=chunk))
        while len(self._cached) > MAX_CACHED:
            self._cached.popitem(last=False)
        return stretches

    def _encode_chunks(self, chunks: Sequence[FoundChunk]) -> None:
        texts_to_encode: list[tuple[FoundChunk, int, str]] = []
        for chunk in chunks:
            text = self._texts.text(chunk.text_id)
            if text is not None:
                start = max(0, chunk.start - MARGIN_CHARS)
                texts_to_encode.append((chunk, start, text[start : chunk.end + MARGIN_CHARS]))
        encoded = self._encoder.encode([part for _, _, part in texts_to_encode]) if texts_to_encode else []
        for (chunk, start, part), encoded_text in zip(texts_to_encode, encoded, strict=True):
            windows = self._background.windows(encoded_text)
            self._cached[_stretch_key(chunk)] = EncodedStretch(chunk, start, part, encoded_text.units + start, windows)


def _stretch_key(chunk: FoundChunk) -> StretchKey:
    return chunk.text_id, chunk.start, chunk.end
