"""Matches pages with works: `index` looks up fingerprints, `align` extends and compares, `judge` classifies."""
