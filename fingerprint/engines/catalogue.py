"""Every engine under the name that `--engine` takes. An engine's module has its own ENTRIES; here they are joined."""

from collections.abc import Mapping
from types import MappingProxyType

from fingerprint.engines import (
    catalogue_documents,
    crc_shingles,
    dsc,
    exact,
    frequency,
    functions84,
    jaccard,
    minhash_lsh,
    simhash,
    winnowing,
)
from fingerprint.engines.engine import EngineEntry

__all__ = ["ENGINES", "EngineEntry"]

_FAMILIES = (
    exact.ENTRIES,
    jaccard.ENTRIES,
    simhash.ENTRIES,
    minhash_lsh.ENTRIES,
    functions84.ENTRIES,
    crc_shingles.ENTRIES,
    dsc.ENTRIES,
    winnowing.ENTRIES,
    frequency.ENTRIES,
    catalogue_documents.ENTRIES,
)

ENGINES: Mapping[str, EngineEntry] = MappingProxyType({entry.name: entry for family in _FAMILIES for entry in family})
