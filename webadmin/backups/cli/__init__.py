"""The verbs of backups."""
