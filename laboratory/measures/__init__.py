"""Runs the engines over cases and says how well they did: tables, a page, the quality floor."""
