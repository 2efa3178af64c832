"""Where a page and a work agree: hits extended to segments, overlaps resolved, passages chained, changes classified."""
