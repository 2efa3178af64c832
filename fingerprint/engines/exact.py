"""Exact copies: texts with equal digests after normalisation."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from core.wording import Message
from fingerprint.engines.chapters import CHAPTER_PARAMETERS, ChapterEngine
from fingerprint.engines.engine import EngineEntry, EngineMatch
from fingerprint.engines.tokens import canonical_text


@dataclass(eq=False)
class ExactEngine(ChapterEngine):
    """Finds works that have the same digest as the page, as a whole or chapter by chapter.

    algorithm: a name that hashlib knows. The normalised text consists of letters, digits and Chinese characters in
    lower case and half width; all other characters are ignored.
    """

    algorithm: str = "md5"
    _works: defaultdict[bytes, set[str]] = field(init=False, repr=False, default_factory=lambda: defaultdict(set))

    def _cut(self, text: str) -> Iterable[str]:
        return text, *super()._cut(text)

    def _add_chapter(self, work_id: str, text: str) -> None:
        if digest := self._text_digest(text):
            self._works[digest].add(work_id)

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        return (EngineMatch(work_id, 1.0) for work_id in self._works.get(self._text_digest(text), ()))

    def _text_digest(self, text: str) -> bytes:
        """Return the digest of a normalised text; b"" if the normalised text is empty."""
        normalized = canonical_text(text).replace("\0", "")
        if not normalized:
            return b""
        return hashlib.new(self.algorithm, normalized.encode(), usedforsecurity=False).digest()


DEPARTURES = (
    Message("engine.the-digest-is-taken-of-letters-digits-and"),
    Message("engine.beside-the-whole-text-each-piece-of"),
)
PARAMETERS = {
    "algorithm": Message("engine.the-digest-by-its-name-in-hashlib"),
    **CHAPTER_PARAMETERS,
}
_variant = partial(EngineEntry, departures=DEPARTURES, parameters=PARAMETERS)
ENTRIES = (
    _variant("exact-md5", ExactEngine, Message("engine.equal-md5-digests-of-the-normalised-text"), "RFC 1321"),
    _variant(
        "exact-sha",
        partial(ExactEngine, algorithm="sha256"),
        Message("engine.equal-sha-256-digests-of-the-normalised"),
        "FIPS 180-4",
    ),
)
