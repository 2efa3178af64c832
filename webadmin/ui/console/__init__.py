"""Shared parts of the command line: output, lists, faults, sessions, keys."""
