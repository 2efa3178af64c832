"""Measures and reports: rows in, one `Report` out, five formats of it. No database, no framework."""
