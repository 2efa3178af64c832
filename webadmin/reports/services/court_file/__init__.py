"""The self-contained court file of a matter: list of evidence, bundles, comparison tables, documents, sheets."""
