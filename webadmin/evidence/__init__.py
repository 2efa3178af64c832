"""Evidence: bundles and their exports, proof for a court, and proofs of third parties."""
