"""Imported last by a process that others are forked from: what is loaded by then is spared their garbage collector."""

from core.garbage import keep_what_is_loaded
from crawler.site_identifiers import registrable

registrable("a.example")  # reads the list of suffixes
keep_what_is_loaded()
