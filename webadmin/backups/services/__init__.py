"""Backs up and restores all data of an installation: docs/backup-format.md."""
