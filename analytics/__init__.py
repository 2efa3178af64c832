"""Measures and reports: turns rows into one `Report` and writes its formats. No database, no framework."""
