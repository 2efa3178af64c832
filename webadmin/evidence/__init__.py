"""Evidence: bundles made, kept and exported, proof for a court, what others made."""
