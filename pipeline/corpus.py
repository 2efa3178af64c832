"""The corpus as verification reads it: texts and fingerprints out of the stores."""

from dataclasses import dataclass

from core.ids import WorkTextId
from core.ports import FingerprintStore, WorkStore
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.record import Fingerprint
from matcher.matching import WorkEntry


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """`matcher.matching.Corpus` over the stores."""

    works: WorkStore
    fingerprints: FingerprintStore
    algorithm: Algorithm

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """A text and its fingerprint; None for a text that was withdrawn since the index named it."""
        text = self.works.text(text_id)
        if text is None:
            return None
        stored = self.fingerprints.get(text_id, self.algorithm.id)
        if stored is None:
            return WorkEntry(text, fingerprint_text(text, self.algorithm))
        return WorkEntry(text, Fingerprint.from_bytes(stored.payload))
