"""Shared parts of the command line: output, lists, errors, sessions and keys."""
