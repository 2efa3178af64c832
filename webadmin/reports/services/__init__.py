"""The rules of reports: no HTML."""
