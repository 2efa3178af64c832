"""Visits of URLs in earlier crawls, and when they are due again."""
