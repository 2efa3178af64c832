"""The corpus for verification, with texts and fingerprints from the stores."""

from dataclasses import dataclass

from core.ids import WorkTextId
from core.ports import FingerprintStore, WorkStore
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import Corpus, WorkEntry
from pipeline.steps import decode_stored_fingerprint


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """The texts of a corpus, with a cache for recently matched texts."""

    corpus: Corpus

    def text(self, text_id: WorkTextId) -> str | None:
        """Return the original text with this id, which is its digest; None if there is none."""
        entry = self.corpus.entry(text_id)
        return None if entry is None else entry.text


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """`matcher.matching.Corpus` over the stores."""

    works: WorkStore
    fingerprints: FingerprintStore
    algorithm: Algorithm

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """Return a text and its fingerprint, or None if it was withdrawn after the index returned it."""
        text = self.works.text(text_id)
        if text is None:
            return None
        stored = decode_stored_fingerprint(self.fingerprints.get(text_id, self.algorithm.id))
        return WorkEntry(text, fingerprint_text(text, self.algorithm) if stored is None else stored)
