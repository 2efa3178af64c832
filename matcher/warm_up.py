"""Compiles the kernels of fingerprint and matcher once, at installation, so that no worker does it while pages wait.

Run as `python -m matcher.warm_up`. The machine code is stored beside the modules, or in NUMBA_CACHE_DIR.
"""

from core.ids import WorkTextId
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher

FIRST, LAST = 0x4E00, 0x9000  # enough different characters for a text that repeats nothing


def warm_up() -> bool:
    """Match a page with edits of every kind against a work, and say whether it was found."""
    work = "".join(map(chr, range(FIRST, LAST, 7)))
    page = f"{work[:900]}（wǒ men） \u200b{work[940:1500]}\ue000{work[1400:1100:-1]}{work[1501:]}"
    fingerprint_text(page[::-1])  # in disorder: tried in other orders
    fingerprint_text("wo men yi qi lai shuo hua " * 5)
    index, corpus = MemoryIndex(), MemoryCorpus()
    corpus[WorkTextId("work")] = WorkEntry(work, fingerprint_text(work))
    index.add(WorkTextId("work"), corpus[WorkTextId("work")].fingerprint)
    found = Matcher(index, corpus).match(page, fingerprint_text(page))
    return bool(found) and len(found[0].spans[0].changes) > 0


if __name__ == "__main__":
    warm_up()
