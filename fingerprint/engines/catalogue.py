"""Every engine under the name that `--engine` takes. An engine's module has its own ENTRIES; here they are joined."""

from collections.abc import Mapping
from types import MappingProxyType

from fingerprint.engines import further
from fingerprint.engines.engine import EngineEntry

__all__ = ["ENGINES", "EngineEntry"]

ENGINES: Mapping[str, EngineEntry] = MappingProxyType({entry.name: entry for entry in (*further.ENTRIES,)})
