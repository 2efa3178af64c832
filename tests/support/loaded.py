"""Imported last by a process that others are forked from: what is loaded by then is spared their garbage collector."""

from core.garbage import keep_what_is_loaded

keep_what_is_loaded()
