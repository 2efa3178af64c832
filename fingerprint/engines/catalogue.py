"""The engines by their names for `--engine`. The module of each engine defines ENTRIES; this module lists the modules.

How to add an engine: docs/recipes/engine.md.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from fingerprint.engines.engine import EngineEntry

# In the order in which engines are shown.
MODULES = (
    "exact",
    "jaccard",
    "simhash",
    "minhash_lsh",
    "functions84",
    "crc_shingles",
    "dsc",
    "winnowing",
    "frequency",
    "nshash",
    "imatch",
    "punctuation_strings",
    "tfidf",
    "erulemaking",
    "boolean_model",
    "sif",
    "cops",
    "scam",
    "koala",
    "mdr",
)


def _load_entries() -> dict[str, EngineEntry]:
    entries: dict[str, EngineEntry] = {}
    for name in MODULES:
        for entry in import_module(f"{__package__}.{name}").ENTRIES:
            if entries.setdefault(entry.name, entry) is not entry:
                raise ValueError(f"two engines are called {entry.name}; the second is in {name}")
    return entries


ENGINES: Mapping[str, EngineEntry] = MappingProxyType(_load_entries())
# They weight words by the number of texts in the corpus that have them; with a single work all weights are zero.
CORPUS_ENGINES = frozenset(entry.name for entry in ENGINES.values() if entry.needs_corpus)
