"""Computes the figures of a report from rows, and writes the report in several formats, without any database."""
