"""The evidence pages: proofs of third parties, and the factors that a court considers."""
