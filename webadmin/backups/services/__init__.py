"""Copies of all that an installation holds, and an installation made of one: docs/backup-format.md."""
