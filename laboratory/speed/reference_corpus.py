"""A reference corpus of any size: real texts first, then generated ones with the same statistics."""

import time
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId, work_text_id
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.record import Fingerprint
from laboratory.draws import generator, number, one_of
from laboratory.markov import ChainText

CHAIN_CHARS = 8_000_000  # of real text that the generator follows: 128 MB
PAGE_CHARS = 2_500
PAGES = 400


class ReferenceCorpus:
    """The texts of a reference corpus of a size; they can be read any number of times."""

    def __init__(self, real: Sequence[str], chars: int, seed: int) -> None:
        """real: texts that come first, and that generated ones are like."""
        self.chars = chars
        self.seconds = 0.0  # spent on making texts
        self._seed = seed
        self.real = list(dict.fromkeys(real))

    @cached_property
    def _chain(self) -> ChainText:
        return ChainText(self.real, CHAIN_CHARS)

    def texts(self) -> Iterator[str]:
        """All texts: the real ones and then generated ones, as long as real ones are, `chars` characters in all."""
        left, made = self.chars, 0
        while left > 0:
            started = time.perf_counter()
            text = self.real[made] if made < len(self.real) else self.generated(made)
            text = text[:left]
            self.seconds += time.perf_counter() - started
            yield text
            left -= len(text)
            made += 1

    def generated(self, row: int) -> str:
        """The generated text of that number, as long as some real one is."""
        drawn = number(self._seed, "text", row)
        return self._chain.text(len(self.real[drawn % len(self.real)]), drawn)

    def entries(self) -> Iterator[tuple[WorkTextId, Fingerprint]]:
        """Every text's id and fingerprint."""
        for text in self.texts():
            yield work_text_id(text), fingerprint_text(text)

    def pages(self, pages: int = PAGES) -> list[NDArray[np.uint64]]:
        """The distinct hashes of so many pages, one half cut from real works, the other from texts in no work."""
        rng = generator(self._seed, "pages")
        long = [text for text in self.real if len(text) >= PAGE_CHARS] or self.real
        hashes = []
        for page in range(pages):
            text = one_of(rng, long) if page % 2 else self._chain.text(PAGE_CHARS, number(self._seed, "page", page))
            hashes.append(np.unique(fingerprint_text(text[:PAGE_CHARS]).hashes))
        return hashes
