"""Shared parts of all applications: templates, columns, paging, request checks, and the console of the commands."""
