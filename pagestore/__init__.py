"""Stores pages, page versions, texts of works and fingerprints, in MongoDB or the embedded server."""
