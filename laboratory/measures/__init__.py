"""Runs the engines on cases and reports their quality: tables, a page, the quality floor."""
