"""Measures and reports: rows in, one `Report` out, and its formats. No database, no framework."""
