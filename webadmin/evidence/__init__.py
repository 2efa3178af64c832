"""Evidence: bundles and their exports, proofs of third parties, and the factors that a court considers."""
