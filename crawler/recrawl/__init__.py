"""Visits of addresses in earlier crawls, and what is due again."""
