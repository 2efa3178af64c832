"""The schedule of backups, their list, checks of the stores, and the export of a rights holder."""
