"""How fast, how much memory, and what size: fingerprints, matching, evidence, the whole chain."""
