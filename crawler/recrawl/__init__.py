"""Stores the visits of URLs in earlier crawls, and decides when URLs are due again."""
