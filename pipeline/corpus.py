"""Reads the corpus with which pages are compared from the stores."""

from dataclasses import dataclass

from core.ids import WorkTextId
from core.ports import FingerprintStore, WorkStore
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import Corpus, WorkEntry
from pipeline.steps import decode_stored_fingerprint


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """The texts of a corpus, without their fingerprints."""

    corpus: Corpus

    def text(self, text_id: WorkTextId) -> str | None:
        """Return the text with this id, or None if there is none."""
        entry = self.corpus.entry(text_id)
        return None if entry is None else entry.text


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """A `matcher.corpus.Corpus` in the stores."""

    works: WorkStore
    fingerprints: FingerprintStore
    algorithm: Algorithm

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """Return a text and its fingerprint, or None if there is no such text, because it was withdrawn meanwhile."""
        text = self.works.text(text_id)
        if text is None:
            return None
        stored = decode_stored_fingerprint(self.fingerprints.get(text_id, self.algorithm.id))
        return WorkEntry(text, fingerprint_text(text, self.algorithm) if stored is None else stored)
