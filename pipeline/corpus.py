"""The corpus as verification reads it: texts and fingerprints out of the stores."""

from dataclasses import dataclass

from core.ids import WorkTextId
from core.ports import FingerprintStore, WorkStore
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import Corpus, WorkEntry
from pipeline.steps import stored_fingerprint


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """The texts of a corpus, which keeps those that matching met last: the store is not asked for them again."""

    corpus: Corpus

    def text(self, text_id: WorkTextId) -> str | None:
        """Return a text as it was given, which its id is a digest of; None where there is none."""
        entry = self.corpus.entry(text_id)
        return None if entry is None else entry.text


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """`matcher.matching.Corpus` over the stores."""

    works: WorkStore
    fingerprints: FingerprintStore
    algorithm: Algorithm

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """Return a text and its fingerprint; None for a text that was withdrawn since the index named it."""
        text = self.works.text(text_id)
        if text is None:
            return None
        stored = stored_fingerprint(self.fingerprints.get(text_id, self.algorithm.id))
        return WorkEntry(text, fingerprint_text(text, self.algorithm) if stored is None else stored)
