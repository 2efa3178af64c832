"""Shared parts of the command line's verbs: output, lists, faults, sessions, keys."""
