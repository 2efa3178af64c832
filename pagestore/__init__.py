"""Pages, page versions, texts of works and fingerprints: in MongoDB, in its embedded twin, in memory."""
