"""Stores pages and their versions, texts of works, fingerprints and evidence, in MongoDB or the embedded server."""
