"""Imported last by a process that others are forked from: what is loaded by then is spared their garbage collector."""

from core.garbage import freeze_loaded_objects
from crawler.site_identifiers import registrable
from fingerprint.fingerprinting import fingerprint_text

fingerprint_text("文")  # loads what was compiled
registrable("a.example")  # reads the list of suffixes
freeze_loaded_objects()
