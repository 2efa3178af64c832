"""Stores the codes of works' texts for the search by meaning. Missing or damaged codes are computed from the text."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol, Self, TypeVar

from core.errors import BadInput, BrokenInvariant
from core.ids import WorkTextId
from core.ports import FingerprintStore, WorkTexts
from core.works import StoredFingerprint
from matcher.reworded.background import Background
from matcher.reworded.chunks import TextCells
from matcher.reworded.encoding import Encoder
from matcher.reworded.meanings import TextMeanings
from matcher.reworded.stored import CELLS_ID, MEANINGS_ID

BATCH_TEXTS = 20  # texts read at once: 30 MB if each is a book of 200,000 characters


class Codes(Protocol):
    """Codes of a text that can be stored."""

    def to_bytes(self) -> bytes: ...

    @classmethod
    def from_bytes(cls, payload: bytes) -> Self: ...


C = TypeVar("C", bound=Codes)


class CodesStore:
    """The codes of texts, each computed once and then stored."""

    def __init__(self, fingerprints: FingerprintStore, works: WorkTexts) -> None:
        self._fingerprints, self._works = fingerprints, works

    def cells(self, texts: Collection[WorkTextId]) -> Iterator[tuple[WorkTextId, TextCells]]:
        """Yield the id and the cells of each existing text, sorted by id."""
        return self._load_or_make(sorted(texts), CELLS_ID, TextCells, TextCells.from_text)

    def meanings(
        self, texts: Collection[WorkTextId], encoder: Encoder, background: Background
    ) -> Iterator[tuple[WorkTextId, TextMeanings]]:
        """Yield the id and the meanings of each existing text, sorted by id.

        Texts without stored meanings are encoded.
        """
        return self._load_or_make(
            sorted(texts), MEANINGS_ID, TextMeanings, lambda text: TextMeanings.from_text(text, encoder, background)
        )

    def text(self, text_id: WorkTextId) -> str | None:
        """Return a text, or None if it is missing or damaged, which the check of the stores reports."""
        try:
            return self._works.text(text_id)
        except BrokenInvariant:
            return None

    def _load_or_make(
        self, texts: Sequence[WorkTextId], algorithm_id: int, kind: type[C], make: Callable[[str], C]
    ) -> Iterator[tuple[WorkTextId, C]]:
        for start in range(0, len(texts), BATCH_TEXTS):
            batch = texts[start : start + BATCH_TEXTS]
            stored = self._load_stored(batch, algorithm_id)
            for text_id in batch:
                found = _decode_codes(stored.get(text_id), kind)
                if found is None and (text := self.text(text_id)) is not None:
                    found = make(text)
                    # Damaged codes may be stored under the digest of intact ones, and would not be replaced.
                    self._fingerprints.remove(text_id, algorithm_id)
                    self._fingerprints.put_many([StoredFingerprint(text_id, algorithm_id, found.to_bytes())])
                if found is not None:
                    yield text_id, found

    def _load_stored(self, texts: Sequence[WorkTextId], algorithm_id: int) -> dict[str, StoredFingerprint]:
        try:
            return self._fingerprints.get_many(texts, algorithm_id)
        except BrokenInvariant:
            if len(texts) == 1:
                return {}
            return {key: each for text in texts for key, each in self._load_stored([text], algorithm_id).items()}


def _decode_codes(stored: StoredFingerprint | None, kind: type[C]) -> C | None:
    try:
        return None if stored is None else kind.from_bytes(stored.payload)
    except BadInput:
        return None
