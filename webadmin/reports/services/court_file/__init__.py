"""The court file of a matter, self-contained: list of evidence, bundles, comparison tables, documents, sheets."""
