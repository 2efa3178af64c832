"""Alignment of a page with works: hits are extended, overlaps resolved, passages chained, changes classified."""
