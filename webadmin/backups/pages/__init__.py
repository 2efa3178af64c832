"""The pages for the schedule and list of backups, the store checks, and the export of a rights holder."""
