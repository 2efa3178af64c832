"""Matches pages with works: `index` looks up seeds, `align` extends and compares hits, `judge` classifies passages."""
