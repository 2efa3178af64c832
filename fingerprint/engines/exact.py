"""Exact copies: equal digests of the normalised text."""

import hashlib
from collections import defaultdict

from fingerprint.engines.chapters import CHAPTER_CHARS, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.tokens import canonical


class ExactEngine:
    """Compares the digest of a page with those of every work and of its chapters.

    algorithm: a name that hashlib knows. Normalised means letters, digits and Chinese characters in lower case and half
    width: what else a text holds does not count.
    """

    gives_spans = False

    def __init__(self, algorithm: str = "md5", chapter_chars: int = CHAPTER_CHARS) -> None:
        self._algorithm, self._chapter_chars = algorithm, chapter_chars
        self._works: defaultdict[bytes, dict[str, None]] = defaultdict(dict)

    def add(self, work_id: str, text: str) -> None:
        for piece in (text, *chapters_of(text, self._chapter_chars)):
            if digest := self._digest(piece):
                self._works[digest][work_id] = None

    def find(self, text: str) -> list[Found]:
        digest = self._digest(text)
        return [Found(work_id, 1.0) for work_id in sorted(self._works.get(digest, ()))] if digest else []

    def _digest(self, text: str) -> bytes:
        """Empty for a text without anything that counts."""
        normalized = canonical(text).replace("\0", "")
        if not normalized:
            return b""
        return hashlib.new(self._algorithm, normalized.encode(), usedforsecurity=False).digest()


ENTRIES = (
    EngineEntry(
        "exact-md5",
        ExactEngine,
        ExactEngine.gives_spans,
        "equal MD5 digests of the normalised text",
        "规范化文本的 MD5 摘要相同",
        "RFC 1321",
    ),
    EngineEntry(
        "exact-sha",
        lambda **options: ExactEngine(**{"algorithm": "sha256", **options}),
        ExactEngine.gives_spans,
        "equal SHA-256 digests of the normalised text",
        "规范化文本的 SHA-256 摘要相同",
        "FIPS 180-4",
    ),
)
