"""Engines that compare what they select from a text: sentences, terms, strings at chosen places."""

from fingerprint.engines.engine import EngineEntry

ENTRIES: tuple[EngineEntry, ...] = ()
