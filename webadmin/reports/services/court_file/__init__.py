"""A matter as one file that stands alone: list of evidence, bundles, comparison tables, papers, sheets."""
